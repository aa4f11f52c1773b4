import { isPodRunningAndReady, type Pod } from '@manta/api';
import { eventsOf, eventTimeMs, refOf, refText, timeMs } from '../lookup.ts';
import { brief, type Cause, type Detector } from './cause.ts';
import type { CauseCode } from './codes.ts';
import { containerStatuses, lastLines } from './container-statuses.ts';

const PROBES: Readonly<Record<string, CauseCode>> = {
  Startup: 'StartupProbe',
  Liveness: 'LivenessProbe',
  Readiness: 'ReadinessProbe',
};
/** A probe that failed longer ago than this does not fail any more. */
const RECENT_MS = 180_000;
/** A Ray head needs this long before its probes pass. */
const USUAL_START_MS = 60_000;

/** Which probe of a running pod fails, by the kubelet's events. */
export const probeTrouble: Detector<Pod> = (pod, world) => {
  if (pod.status?.phase !== 'Running' || isPodRunningAndReady(pod)) return undefined;
  const object = refOf('Pod', pod);
  const event = eventsOf(world, object).find(
    ({ reason, note = '' }) => reason === 'Unhealthy' && /^(Startup|Liveness|Readiness) probe/.test(note),
  );
  const started = timeMs(
    containerStatuses(pod).find(({ ready, state }) => !ready && state?.running !== undefined)?.state?.running
      ?.startedAt,
  );
  const isStarting = started !== undefined && world.now - started < USUAL_START_MS;
  if (event === undefined || world.now - eventTimeMs(event) > RECENT_MS || isStarting) return undefined;
  const probe = /^\w+/.exec(event.note ?? '')?.[0] ?? '';
  const container = containerStatuses(pod).find(({ ready }) => !ready)?.name ?? '';
  const cause: Cause = {
    code: PROBES[probe] ?? 'NotReady',
    object,
    sentence: `the ${probe.toLowerCase()} probe of container ${container} of ${refText(object)} fails: ${brief(event.note?.replace(/^\w+ probe (failed|errored)[^:]*:?\s*/, ''))}`,
    evidence: [{ object, source: 'event Unhealthy', text: brief(event.note) }],
    lines: lastLines(world, pod, container),
    action: 'Read the last lines: Ray may still start, may lack memory or CPU, or its port may differ from the probe.',
  };
  return cause;
};
