import type { HistoryList, HistoryListItem } from '@manta/history';
import { usageError } from '../../cli-error.ts';
import type { Invocation } from '../../invocation.ts';
import { ageOf } from '../../output/age.ts';
import { tableLines } from '../../output/table.ts';
import { ALL_KINDS, type RayKind } from '../../target.ts';
import { askHistory } from './history-request.ts';

export interface HistoryListFlags {
  readonly allNamespaces?: boolean;
  readonly limit: number;
  readonly output?: 'json';
}

const MESSAGE_WIDTH = 60;

/** `history list [TYPE]`: objects that exist or existed, the latest first. */
export async function historyList(call: Invocation, type: string | undefined, flags: HistoryListFlags): Promise<void> {
  const namespace = await call.scope(flags.allNamespaces);
  const query = { limit: String(flags.limit) };
  const lists = await Promise.all(
    kindsOf(type).map(
      async (kind): Promise<HistoryList> => JSON.parse(await askHistory(call, { kind, namespace, query })),
    ),
  );
  const items = lists
    .flatMap((list) => list.items)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .slice(0, flags.limit);
  const dropped = Object.values(lists[0]?.dropped ?? {}).reduce((sum, count) => sum + count, 0);
  if (flags.output === 'json') call.print(JSON.stringify({ items }, undefined, 2));
  else if (items.length === 0)
    call.say(`No history in ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`}.`);
  else call.print(table(items, call.world.clock.now(), flags.allNamespaces === true));
  if (dropped > 0) call.say(`${dropped} records could not be kept: some details are missing.`);
}

function kindsOf(type: string | undefined): readonly RayKind[] {
  if (type === undefined) return ALL_KINDS;
  const singular = type.toLowerCase().replace(/s$/, '');
  const kind = ALL_KINDS.find((known) => known === singular);
  if (kind === undefined) throw usageError(`unsupported resource type: ${type}. Use one of: ${ALL_KINDS.join(', ')}.`);
  return [kind];
}

function table(items: readonly HistoryListItem[], now: number, hasNamespace: boolean): string {
  const rows = items.map(({ kind, namespace, name, state, createdAt, deletedAt, message }) => [
    ...(hasNamespace ? [namespace] : []),
    `${kind.toLowerCase()}/${name}`,
    state,
    ageOf(createdAt, now),
    deletedAt === undefined ? '-' : ageOf(deletedAt, now),
    short(message),
  ]);
  const columns = [...(hasNamespace ? ['Namespace'] : []), 'Name', 'Last State', 'Age', 'Deleted', 'Message'];
  return tableLines({ columns, rows }).join('\n');
}

function short(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > MESSAGE_WIDTH ? `${line.slice(0, MESSAGE_WIDTH - 1)}…` : line;
}
