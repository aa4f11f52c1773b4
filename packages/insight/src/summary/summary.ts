import type { Condition } from '@manta/api';
import { ageMs, find } from '../lookup.ts';
import { rayRefs, type TreeNode, tree } from '../tree/tree.ts';
import { stateText } from '../tree/state-text.ts';
import type { Why } from '../why/cause.ts';
import { why } from '../why/why.ts';
import { missingRights, type RayObjectKind, type RayRef, type World } from '../world.ts';
import { conditionWords } from './condition-words.ts';
import { type ResourceRow, resourceRows } from './resources.ts';

/** One page about a namespace or about one object. */
export interface Summary {
  /** Objects by health, problems first. */
  readonly objects: readonly ObjectSummary[];
  readonly resources: readonly ResourceRow[];
  readonly missingRights: readonly string[];
}

export interface ObjectSummary {
  readonly ref: RayRef;
  readonly why: Why;
  /** Its state in a few words. */
  readonly says: string;
  readonly ageMs: number;
  /** Conditions in words, as far as they add something. */
  readonly conditions: readonly string[];
  /** Clusters, groups and pods below it. */
  readonly parts: readonly TreeNode[];
}

const ORDER = { unhealthy: 0, progressing: 1, healthy: 2, gone: 3 } as const;
const KINDS: readonly RayObjectKind[] = ['RayService', 'RayJob', 'RayCronJob', 'RayCluster'];

/** Summarises one object, or every Ray object of the world. */
export function summary(world: World, ref?: RayRef): Summary {
  const refs = ref === undefined ? KINDS.flatMap((kind) => rayRefs(world, kind)) : [ref];
  const objects = refs.map((each) => objectSummary(world, each)).filter((each) => each.why.health !== 'gone');
  return {
    objects: objects.toSorted((a, b) => ORDER[a.why.health] - ORDER[b.why.health]),
    resources: resourceRows(world, ref),
    missingRights: missingRights(world),
  };
}

function objectSummary(world: World, ref: RayRef): ObjectSummary {
  const object = objectOf(world, ref);
  const [node] = tree(world, ref);
  return {
    ref,
    why: why(world, ref),
    says: stateText(world, ref),
    ageMs: object === undefined ? 0 : ageMs(world, object),
    conditions: conditionWords(object?.status?.conditions ?? [], world.now),
    parts: node?.children ?? [],
  };
}

interface WithConditions {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly creationTimestamp?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

function objectOf(world: World, { kind, namespace, name }: RayRef): WithConditions | undefined {
  switch (kind) {
    case 'RayCluster':
      return find(world.rayClusters, namespace, name);
    case 'RayService':
      return find(world.rayServices, namespace, name);
    case 'RayJob':
      return bare(find(world.rayJobs, namespace, name));
    case 'RayCronJob':
      return bare(find(world.rayCronJobs, namespace, name));
  }
}

/** Jobs and schedules have no conditions. */
function bare(object: { readonly metadata?: WithConditions['metadata'] } | undefined): WithConditions | undefined {
  return object?.metadata === undefined ? undefined : { metadata: object.metadata };
}
