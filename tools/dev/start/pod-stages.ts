import type { Pod } from '@manta/api';

/** How far a pod of Ray's is, in the words of `npm start`; nothing for other pods. */
export function podStages({ metadata, status }: Pod): readonly string[] {
  const type = metadata?.labels?.['ray.io/node-type'];
  if (type !== 'head' && type !== 'worker') return [];
  const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting?.message !== undefined)?.state?.waiting;
  const unplaced = status?.conditions?.find((each) => each.type === 'PodScheduled' && each.status === 'False');
  const isReady = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
  return [
    `${type} pod ${metadata?.name} made`,
    ...(unplaced === undefined ? [] : [`${type} finds no room: ${shortage(unplaced.message)}`]),
    ...(waiting === undefined ? [] : [`${type} waits: ${waiting.message}`]),
    ...(isReady ? [`${type} ready`] : []),
  ];
}

/** A scheduler speaks of nodes; here there is one machine. */
function shortage(message = ''): string {
  const missing = [...message.matchAll(/Insufficient ([\w./-]+?)[.,](?:\s|$)/g)].map((match) => match[1]);
  if (missing.length === 0) return message;
  const what = [...new Set(missing)].join(' and ');
  return `this machine has not enough ${what} left for what it asks for; ask for less in its resources, or delete another cluster`;
}
