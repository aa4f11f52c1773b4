import type { ContainerStatus, Pod } from '@manta/api';
import { logKey, type LogTail } from '@manta/insight';
import { podLogLines } from '@manta/kube';
import type { Invocation } from '../invocation.ts';

const TAIL_LINES = 30;
/** More pods than this fail for the same reason. */
const MOST_CONTAINERS = 12;

/** The last lines of containers that failed or are not ready. What cannot be read is left out. */
export async function failingLogs(call: Invocation, pods: readonly Pod[]): Promise<ReadonlyMap<string, LogTail>> {
  const wanted = pods.flatMap((pod) =>
    [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
      .filter(isFailing)
      .map((status) => ({ pod, status })),
  );
  const read = await Promise.all(
    wanted.slice(0, MOST_CONTAINERS).map(async ({ pod, status }) => {
      const { namespace = '', name = '' } = pod.metadata ?? {};
      const lines = await tail(call, namespace, name, status);
      return [logKey(namespace, name, status.name), { lines }] as const;
    }),
  );
  return new Map(read.filter(([, { lines }]) => lines.length > 0));
}

function isFailing({ state, lastState, ready }: ContainerStatus): boolean {
  if (state?.terminated !== undefined) return state.terminated.exitCode !== 0;
  return !ready && (lastState?.terminated !== undefined || state?.running !== undefined);
}

async function tail(
  call: Invocation,
  namespace: string,
  pod: string,
  { name: container, state }: ContainerStatus,
): Promise<readonly string[]> {
  // Of a container that waits to be started again, the former run has the output.
  const previous = state?.waiting !== undefined;
  const transport = await call.transport();
  const lines: string[] = [];
  try {
    for await (const line of podLogLines(transport, { namespace, pod, container, previous, tailLines: TAIL_LINES }))
      lines.push(line);
  } catch {
    // No right to read logs, or the container is gone: the cause is named without its output.
  }
  return lines;
}
