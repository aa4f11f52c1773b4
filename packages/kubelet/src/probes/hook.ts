import { messageOf } from '@manta/base';
import type { LifecycleHandler } from '@manta/api';
import type { Clock } from '@manta/kube';
import { pause } from '../pods/pause.ts';
import { type ProbeResult, type ProbeTarget, requestOver, tryProbe } from './probe.ts';

const LONGEST_SECONDS = 24 * 60 * 60;

/**
 * Runs a hook of a container's life once. It may take as long as it wants: whoever waits for it says until when, and what it runs in the
 * container ends with the container. Over HTTP any answer is a success.
 */
export async function runHook(hook: LifecycleHandler, target: ProbeTarget, clock: Clock): Promise<ProbeResult> {
  if (hook.sleep !== undefined) {
    await pause(clock, hook.sleep.seconds * 1000);
    return { isOk: true };
  }
  const { httpGet } = hook;
  if (httpGet === undefined) return await tryProbe({ ...hook, timeoutSeconds: LONGEST_SECONDS }, target);
  try {
    await requestOver(httpGet, target);
    return { isOk: true };
  } catch (error) {
    return { isOk: false, message: messageOf(error) };
  }
}
