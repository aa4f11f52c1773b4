import type { Invocation } from '../../invocation.ts';
import { ALL_KINDS, parseTarget } from '../../target.ts';
import { askHistory } from './history-request.ts';

export interface HistoryLogsFlags {
  readonly uid?: string;
  readonly pod?: string;
  readonly container?: string;
}

/** `history logs TYPE/NAME`: the last lines of each container that ended, under a heading for each. */
export async function historyLogs(call: Invocation, text: string, flags: HistoryLogsFlags): Promise<void> {
  const { kind, name } = parseTarget(text, ALL_KINDS);
  const { uid, pod, container } = flags;
  const query = { uid, pod, container };
  const answer = await askHistory(call, { kind, namespace: await call.namespace(), name, subresource: 'log', query });
  if (answer.trim() === '')
    call.say('No log lines are kept: no container of it has ended, or its log could not be read in time.');
  else call.print(answer.trimEnd());
}
