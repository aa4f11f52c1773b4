import { ApiError, isForbidden, podLogLines } from '@manta/kube';
import { CliError, ExitCode } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import type { ContainerRun } from './containers.ts';
import type { LogPrinter } from './log-printer.ts';
import type { LogsFlags } from './logs-flags.ts';

/**
 * Prints one container's log. Resolves with the time of its last line, with which a broken stream is continued; `after` is that of an
 * earlier call, whose lines are not printed again.
 */
export async function readLog(
  call: Invocation,
  namespace: string,
  run: ContainerRun,
  flags: LogsFlags,
  printer: LogPrinter,
  after?: string,
): Promise<string | undefined> {
  const { since, tail, previous, follow } = flags;
  const options = {
    namespace,
    pod: run.pod,
    container: run.container,
    previous,
    follow,
    timestamps: true,
    signal: call.world.signal,
    ...(after === undefined
      ? { tailLines: tail, ...(since !== undefined && { sinceSeconds: Math.max(1, Math.ceil(since / 1000)) }) }
      : { sinceTime: after }),
  };
  let last = after;
  try {
    for await (const stamped of podLogLines(await call.transport(), options)) {
      const at = stamped.indexOf(' ');
      const [time, line] = at < 0 ? ['', stamped] : [stamped.slice(0, at), stamped.slice(at + 1)];
      // `sinceTime` has a resolution of one second, so lines of that second come again.
      if (after !== undefined && time <= after) continue;
      await printer.print(run, line);
      last = time;
    }
  } catch (error) {
    call.world.signal.throwIfAborted();
    if (isForbidden(error))
      throw new CliError(
        `you may not read logs in namespace ${namespace}: the right to get pods/log is missing.`,
        ExitCode.NotAllowed,
        { cause: error },
      );
    // A container that ended in the meantime, or that has no previous run, has no log: the others are still worth reading.
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
    call.say(`${run.pod} ${run.container}: ${error.message}`);
  }
  return last;
}
