import { GroupName, Label, NodeType, type KubeObject } from '@manta/api';
import type { Happening } from './simulate.ts';
import type { Step, StepKind } from './types.ts';

/** A happening in words, and what it can be merged with: the steps of one group of pods become one sentence. */
interface Phrase {
  readonly kind: StepKind;
  readonly key: string;
  readonly text: (count: number) => string;
}

/** What happened, in order, in words. Changes without interest for users, such as finalizers and labels, are left out. */
export function stepsOf(happenings: readonly Happening[]): readonly Step[] {
  const merged: { phrase: Phrase; count: number }[] = [];
  for (const happening of happenings) {
    const phrase = phraseOf(happening);
    if (phrase === undefined) continue;
    // Deletions and creations of different groups alternate: the last few phrases may be the one to count in.
    const known = merged.slice(-4).find((each) => each.phrase.key === phrase.key);
    if (known === undefined) merged.push({ phrase, count: 1 });
    else known.count += 1;
  }
  return merged.map(({ phrase, count }) => ({ kind: phrase.kind, text: phrase.text(count) }));
}

function phraseOf(happening: Happening): Phrase | undefined {
  switch (happening.kind) {
    case 'traffic':
      return trafficPhrase(happening.shares);
    case 'command': {
      const { command, cluster } = happening.command;
      if (command.kind === 'put-serve') {
        const text = `send the Serve configuration to RayCluster ${cluster}`;
        return { kind: 'serve', key: text, text: () => text };
      }
      if (command.kind === 'settle') return undefined;
      const verb = command.kind === 'submit' ? 'submit' : 'stop';
      const id = command.kind === 'submit' ? command.job.submissionId : command.jobId;
      return { kind: 'job', key: `${verb} ${id}`, text: () => `${verb} Ray job ${id} on RayCluster ${cluster}` };
    }
    case 'change': {
      const { verb, kind, before, after } = happening.change;
      const object = after ?? before;
      return object === undefined ? undefined : changePhrase(verb, kind, object, before);
    }
  }
}

function trafficPhrase(shares: ReadonlyMap<string, number>): Phrase {
  const parts = [...shares].map(([cluster, share]) => `${share} % to RayCluster ${cluster}`);
  const text = `traffic: ${parts.length === 0 ? 'no RayCluster gets requests' : parts.join(', ')}`;
  return { kind: 'traffic', key: text, text: () => text };
}

/** Kinds whose creation and deletion users want to know of. */
const SHOWN: ReadonlySet<string> = new Set([
  'RayCluster',
  'RayJob',
  'Service',
  'Job',
  'Ingress',
  'Route',
  'Gateway',
  'HTTPRoute',
  'PersistentVolumeClaim',
  'Secret',
]);

function changePhrase(
  verb: 'create' | 'update' | 'delete',
  kind: string,
  object: KubeObject,
  before: KubeObject | undefined,
): Phrase | undefined {
  if (kind === 'Pod') return verb === 'update' ? undefined : podPhrase(verb, object);
  if (!SHOWN.has(kind)) return undefined;
  if (verb === 'update' && (kind !== 'RayCluster' || specText(object) === specText(before))) return undefined;
  const text = `${verb} ${kind} ${object.metadata?.name ?? ''}${verb === 'update' ? ' in place' : ''}`;
  return { kind: verb, key: text, text: () => text };
}

function podPhrase(verb: 'create' | 'delete', { metadata }: KubeObject): Phrase {
  const { [Label.Cluster]: cluster = '', [Label.Group]: group = '', [Label.NodeType]: type } = metadata?.labels ?? {};
  const isHead = type === NodeType.Head;
  const key = `${verb} ${cluster}/${isHead ? GroupName.Head : group}`;
  const text = (count: number) =>
    isHead
      ? `${verb} the head pod of RayCluster ${cluster}`
      : `${verb} ${count} worker ${count === 1 ? 'pod' : 'pods'} of group ${group} in RayCluster ${cluster}`;
  return { kind: verb, key, text };
}

function specText(object: (KubeObject & { readonly spec?: unknown }) | undefined): string {
  return JSON.stringify(object?.spec) ?? '';
}
