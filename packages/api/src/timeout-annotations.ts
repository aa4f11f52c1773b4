import { Annotation } from './annotations.ts';
import { type DurationNs, NS_PER_SECOND, parseDuration } from './duration.ts';
import { parseGoInt } from './go-int.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';
import { DefaultSeconds } from './timings.ts';

type Annotations = Readonly<Record<string, string>> | undefined;

/** How long a RayService may take to become ready, from its annotation; absent or empty means that there is no limit. */
export function initializingTimeout(annotations: Annotations): Parsed<DurationNs | undefined> {
  return positiveDuration(annotations, Annotation.InitializingTimeout);
}

/** How long an upgrade of a RayService may go without progress, from its annotation; absent or empty means for ever. */
export function upgradeProgressDeadline(annotations: Annotations): Parsed<DurationNs | undefined> {
  return positiveDuration(annotations, Annotation.UpgradeProgressDeadline);
}

/** A Go duration or whole seconds, above zero. A duration is tried first, so `0` is refused as a duration. */
function positiveDuration(annotations: Annotations, key: string): Parsed<DurationNs | undefined> {
  const text = annotations?.[key] ?? '';
  if (text === '') return parsed(undefined);
  const name = `annotation ${key}`;
  const duration = parseDuration(text);
  if (duration.ok) {
    return duration.value > 0n ? duration : unparsed(`${name} must be a positive duration, got: ${text}`);
  }
  const seconds = parseGoInt(text);
  if (seconds.ok) {
    return seconds.value > 0
      ? parsed(BigInt(seconds.value) * NS_PER_SECOND)
      : unparsed(`${name} must be a positive integer (seconds), got: ${text}`);
  }
  return unparsed(
    `${name} has invalid format: ${text}. Expected Go duration format (e.g., '5m', '1h') or positive integer seconds`,
  );
}

/** Seconds after which a deleted RayCluster no longer waits for its Redis cleanup; nonsense counts as not set. */
export function gcsFtDeletionTimeoutSeconds(annotations: Annotations): number {
  const seconds = parseGoInt(annotations?.[Annotation.GcsFtDeletionTimeout] ?? '');
  return seconds.ok && seconds.value > 0 ? seconds.value : DefaultSeconds.GcsFtFinalizerTimeout;
}
