import { RayClusterConditionType } from '@manta/api';
import type { Subject } from './subject.ts';

/** Long enough for what a scheduler has to say. */
const MAX_LENGTH = 1024;

/** Why the cluster does not come up, for people; undefined when nothing is known to keep it. */
export function troubleOf({ troubled, cluster }: Subject): string | undefined {
  const failure = cluster?.status?.conditions?.find(
    ({ type, status }) => type === RayClusterConditionType.ReplicaFailure && status === 'True',
  );
  if (failure !== undefined) return short(`The cluster does not come up: ${failure.message}`);
  const [first, ...others] = troubled.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return short(`The cluster does not come up: pod ${first.name}${more}: ${first.trouble}`);
}

function short(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
