import { humanDuration } from '@manta/api';
import type { ObjectStory, StoryPod } from '@manta/history';
import type { Invocation } from '../../invocation.ts';
import { ageOf } from '../../output/age.ts';
import { tableLines } from '../../output/table.ts';
import { ALL_KINDS, parseTarget } from '../../target.ts';
import { askHistory } from './history-request.ts';

export interface HistoryShowFlags {
  readonly uid?: string;
  readonly output?: 'json';
}

/** `history show TYPE/NAME`: how an object lived and ended. */
export async function historyShow(call: Invocation, text: string, { uid, output }: HistoryShowFlags): Promise<void> {
  const { kind, name } = parseTarget(text, ALL_KINDS);
  const answer = await askHistory(call, { kind, namespace: await call.namespace(), name, query: { uid } });
  const story: ObjectStory = JSON.parse(answer);
  call.print(output === 'json' ? JSON.stringify(story, undefined, 2) : page(story, call.world.clock.now()).join('\n'));
}

function page(story: ObjectStory, now: number): readonly string[] {
  const { object, others, clusters, events, pods } = story;
  const ended = object.deletedAt === undefined ? '' : `, deleted ${ageOf(object.deletedAt, now)} ago`;
  return [
    `${object.kind} ${object.namespace}/${object.name}: ${object.state} (created ${ageOf(object.createdAt, now)} ago${ended})`,
    ...(object.message === '' ? [] : [`  ${object.message.trim().replaceAll('\n', '\n  ')}`]),
    ...section('Stages', stageLines(story)),
    ...section(
      'Clusters',
      clusters.map(({ name, state }) => `${name}  ${state}`),
    ),
    ...section('Pods', podLines(pods)),
    ...section(
      'Events',
      events.length === 0
        ? []
        : tableLines({
            columns: ['Time', 'Type', 'Reason', 'Object', 'Message'],
            rows: events.map(({ at, type, reason, object: of, message, count }) => [
              clockTime(at),
              type,
              count > 1 ? `${reason} (×${count})` : reason,
              of,
              message.replaceAll(/\s+/g, ' ').trim(),
            ]),
          }),
    ),
    ...section(
      'Other objects of this name',
      others.map(({ uid, state, createdAt }) => `${createdAt}  ${state}  --uid ${uid}`),
    ),
  ];
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function stageLines({ stages }: ObjectStory): readonly string[] {
  if (stages.length === 0) return [];
  const rows = stages.map(({ name, from, to }) => [
    clockTime(from),
    name,
    to === undefined ? 'until now' : humanDuration(Date.parse(to) - Date.parse(from)),
  ]);
  return tableLines({ columns: ['Time', 'State', 'Duration'], rows });
}

function podLines(pods: readonly StoryPod[]): readonly string[] {
  if (pods.length === 0) return [];
  const rows = pods.map(({ name, nodeType, node, ends, logs }) => [
    name,
    nodeType,
    node,
    ends.length === 0 ? '-' : ends.map(endText).join(', '),
    String(logs.reduce((sum, { lines }) => sum + lines, 0)),
  ]);
  return tableLines({ columns: ['Name', 'Type', 'Node', 'Ended', 'Log Lines'], rows });
}

function endText({ container, exitCode, reason, restart }: StoryPod['ends'][number]): string {
  const why = reason === '' || reason === 'Completed' || reason === 'Error' ? '' : ` ${reason}`;
  return `${container} ${exitCode}${why}${restart === 0 ? '' : ` (restart ${restart})`}`;
}

/** The time of day with the date, in UTC like all times that Kubernetes prints. */
function clockTime(text: string): string {
  return text.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
