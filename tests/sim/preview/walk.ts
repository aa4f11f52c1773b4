import { Label } from '@manta/api';
import { type KubeObject } from '@manta/api';
import { type ObjectPreview, preview } from '@manta/insight';
import { isInvalid, type ResourceType, resources } from '@manta/kube';
import { parse } from 'yaml';
import { admitObject } from '../../../packages/cli/src/commands/manifest/check-object.ts';
import { seededChoices } from '../choices.ts';
import { anyEdit, anyObject, type Edited, manifestOf, NAME } from './edits.ts';
import { type Happened, NAMESPACE, PreviewStage } from './stage.ts';

/** An edit whose preview was wrong. */
export interface Mismatch {
  readonly seed: number;
  readonly edit: number;
  readonly changes: string;
  readonly announced: readonly string[];
  readonly happened: readonly string[];
}

export interface WalkOutcome {
  readonly edits: number;
  /** Edits after which the operator created or deleted pods or clusters. */
  readonly effects: number;
  readonly mismatch: Mismatch | undefined;
}

const TYPES: Readonly<Record<Edited['kind'], ResourceType>> = {
  RayCluster: resources.rayClusters,
  RayService: resources.rayServices,
  RayJob: resources.rayJobs,
};
const QUIET_MS: Readonly<Record<Edited['kind'], number>> = { RayCluster: 20_000, RayService: 100_000, RayJob: 20_000 };

/** Creates a random object and edits it again and again: what preview announced must be what the operator then does. */
export async function walk(seed: number, edits: number): Promise<WalkOutcome> {
  const choices = seededChoices(seed);
  const stage = await PreviewStage.open();
  try {
    let current: Edited | undefined;
    let effects = 0;
    for (let edit = 0; edit < edits; edit += 1) {
      const world = await stage.world();
      const pods = world.pods.kind === 'seen' ? world.pods.items.map(({ metadata }) => metadata?.name ?? '') : [];
      const known = new Set(
        world.rayClusters.kind === 'seen' ? world.rayClusters.items.map(({ metadata }) => metadata?.name ?? '') : [],
      );
      const next: Edited = current === undefined ? anyObject(choices) : anyEdit(current, choices, pods);
      const [shown] = preview(world, [manifestOf(next)], {
        parseYaml: (text): unknown => parse(text),
        mode: 'replace',
        admit: (object) => admitObject({ ...object }),
        context: { operatorVersion: '0.0.0-sim' },
      }).objects;
      if (shown === undefined) throw new Error('nothing was previewed');
      stage.happened.length = 0;
      const isStored = await store(stage, next, current === undefined);
      await stage.settle(QUIET_MS[next.kind]);
      const announced = announcedBy(shown, known);
      const happened = inWords(stage.happened, known);
      if (isStored && JSON.stringify(announced) !== JSON.stringify(happened))
        return {
          edits: edit,
          effects,
          mismatch: {
            seed,
            edit,
            changes: JSON.stringify(shown.changes.map(({ path, before, after }) => `${path}: ${before} -> ${after}`)),
            announced,
            happened,
          },
        };
      if (happened.length > 0) effects += 1;
      if (isStored) current = next;
    }
    return { edits, effects, mismatch: undefined };
  } finally {
    stage.close();
  }
}

type Stored = KubeObject & { readonly spec: unknown };

/** False if the API server refuses it. */
async function store({ client }: PreviewStage, edited: Edited, isNew: boolean): Promise<boolean> {
  const type = TYPES[edited.kind];
  const { apiVersion, kind, spec } = { apiVersion: 'ray.io/v1', ...edited };
  try {
    if (isNew) {
      const object: Stored = { apiVersion, kind, metadata: { name: NAME, namespace: NAMESPACE }, spec };
      await client.create(type, object);
    } else {
      const live = await client.get(type, { name: NAME, namespace: NAMESPACE });
      const object: Stored = { ...live, spec };
      await client.update(type, object);
    }
    return true;
  } catch (error) {
    if (isInvalid(error)) return false;
    throw error;
  }
}

/** Pods by cluster and group, and clusters. Names of new clusters are numbered: preview does not know the moment of the edit. */
function announcedBy({ pods, steps }: ObjectPreview, known: ReadonlySet<string>): readonly string[] {
  const clusters = steps
    .map(({ text }) => /^(create|delete) RayCluster (\S+)$/.exec(text))
    .flatMap((match) => (match === null ? [] : [{ verb: match[1] ?? '', name: match[2] ?? '' }]));
  const label = labelsOf(
    clusters.filter(({ verb }) => verb === 'create').map(({ name }) => name),
    known,
  );
  return [
    ...clusters.map(({ verb, name }) => `${verb} RayCluster ${label(name)}`),
    ...pods.flatMap(({ cluster, group, created, deleted, replaced }) => [
      ...count('create', created + replaced, label(cluster), group),
      ...count('delete', deleted + replaced, label(cluster), group),
    ]),
  ].toSorted();
}

function inWords(happened: readonly Happened[], known: ReadonlySet<string>): readonly string[] {
  const clusters = happened.filter(({ kind }) => kind === 'RayCluster');
  const label = labelsOf(
    clusters.filter(({ verb }) => verb === 'create').map(({ object }) => object.metadata.name),
    known,
  );
  const pods = new Map<string, number>();
  for (const { verb, object } of happened.filter(
    ({ kind, object: each }) => kind === 'Pod' && each.metadata.labels?.[Label.Cluster] !== undefined,
  )) {
    const { [Label.Cluster]: cluster = '', [Label.Group]: group = '' } = object.metadata.labels ?? {};
    const key = JSON.stringify([verb, label(cluster), group]);
    pods.set(key, (pods.get(key) ?? 0) + 1);
  }
  return [
    ...clusters.map(({ verb, object }) => `${verb} RayCluster ${label(object.metadata.name)}`),
    ...[...pods].flatMap(([key, number]) => {
      const [verb = '', cluster = '', group = ''] = JSON.parse(key) as string[];
      return count(verb, number, cluster, group);
    }),
  ]
    .filter((text) => text !== `create RayCluster ${NAME}`)
    .toSorted();
}

function count(verb: string, number: number, cluster: string, group: string): readonly string[] {
  return number === 0 ? [] : [`${verb} ${number} pods of ${cluster}/${group}`];
}

function labelsOf(created: readonly string[], known: ReadonlySet<string>): (name: string) => string {
  const fresh = created.filter((name) => !known.has(name) && name !== NAME);
  return (name) => (fresh.includes(name) ? `new ${fresh.indexOf(name) + 1}` : name);
}
