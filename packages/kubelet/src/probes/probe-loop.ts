import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe } from '@manta/api';
import { type ProbeTarget, tryProbe } from './probe.ts';

/** What a kubelet learns of a container by its probes. */
export interface ProbeListener {
  /** The startup probe has succeeded, or there is none. */
  started(): void;
  ready(isReady: boolean): void;
  /** A startup or liveness probe has failed too often: the container has to be ended. */
  unhealthy(probe: 'Liveness' | 'Startup', message: string): void;
  /** Called for each failed attempt. */
  failed(probe: 'Liveness' | 'Readiness' | 'Startup', message: string): void;
}

/** Runs a container's probes until the signal: first the startup probe alone, then readiness and liveness side by side. */
export async function runProbes(target: ProbeTarget, listener: ProbeListener, signal: AbortSignal): Promise<void> {
  const { startupProbe, readinessProbe, livenessProbe } = target.container;
  if (startupProbe !== undefined && !(await untilStarted(startupProbe, target, listener, signal))) return;
  if (signal.aborted) return;
  listener.started();
  if (readinessProbe === undefined) listener.ready(true);
  await Promise.all([
    readinessProbe === undefined ? undefined : watchReadiness(readinessProbe, target, listener, signal),
    livenessProbe === undefined ? undefined : watchLiveness(livenessProbe, target, listener, signal),
  ]);
}

async function untilStarted(
  probe: Probe,
  target: ProbeTarget,
  listener: ProbeListener,
  signal: AbortSignal,
): Promise<boolean> {
  let failures = 0;
  for await (const result of attempts(probe, target, signal)) {
    if (result.isOk) return true;
    failures += 1;
    listener.failed('Startup', result.message);
    if (failures >= (probe.failureThreshold ?? 3)) {
      listener.unhealthy('Startup', result.message);
      return false;
    }
  }
  return false;
}

async function watchReadiness(
  probe: Probe,
  target: ProbeTarget,
  listener: ProbeListener,
  signal: AbortSignal,
): Promise<void> {
  let streak = 0;
  for await (const result of attempts(probe, target, signal)) {
    streak = result.isOk ? Math.max(streak, 0) + 1 : Math.min(streak, 0) - 1;
    if (!result.isOk) listener.failed('Readiness', result.message);
    if (streak >= (probe.successThreshold ?? 1)) listener.ready(true);
    else if (-streak >= (probe.failureThreshold ?? 3)) listener.ready(false);
  }
}

async function watchLiveness(
  probe: Probe,
  target: ProbeTarget,
  listener: ProbeListener,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  for await (const result of attempts(probe, target, signal)) {
    failures = result.isOk ? 0 : failures + 1;
    if (!result.isOk) listener.failed('Liveness', result.message);
    if (!result.isOk && failures >= (probe.failureThreshold ?? 3)) {
      listener.unhealthy('Liveness', result.message);
      return;
    }
  }
}

async function* attempts(probe: Probe, target: ProbeTarget, signal: AbortSignal) {
  const pause = async (seconds: number) => {
    if (seconds > 0) await sleep(seconds * 1000, undefined, { signal, ref: false }).catch(() => undefined);
  };
  await pause(probe.initialDelaySeconds ?? 0);
  while (!signal.aborted) {
    const result = await tryProbe(probe, target);
    if (signal.aborted) return;
    yield result;
    await pause(probe.periodSeconds ?? 10);
  }
}
