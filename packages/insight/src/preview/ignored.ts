import { Annotation, GroupName, isRecord, type KubeObject } from '@manta/api';
import type { RayRef } from '../world.ts';
import type { FieldChange, IgnoredField, Manifest, PodsChange } from './types.ts';
import type { VirtualOperator } from './virtual-operator.ts';

/** Annotations that name the version of a spec: they differ after every edit. */
const STAMPS: readonly string[] = [Annotation.RecreateHash, Annotation.SpecHash];

/** Everything that the operator made of an object, as one text. Equal texts: the edits had the same effect. */
export function effectOf({ world: { objects }, ray }: VirtualOperator, { kind, name }: RayRef): string {
  const configs = [...ray.serveConfigs].map(([cluster, config]) => `serve ${cluster} ${JSON.stringify(config)}`);
  const parts = Object.entries(objects).flatMap(([of, map]) =>
    [...map.values()]
      .filter((object) => !(of === kind && object.metadata?.name === name))
      .map((object) => `${of} ${object.metadata?.name} ${JSON.stringify(contentOf(object))}`),
  );
  return [...parts, ...configs].toSorted().join('\n');
}

function contentOf({ metadata, ...rest }: KubeObject & { readonly spec?: unknown }): unknown {
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(([key]) => !STAMPS.includes(key));
  const deleted = metadata?.deletionTimestamp !== undefined;
  return { labels: metadata?.labels, annotations, spec: rest.spec, deleted };
}

/** The object with one change undone. */
export function undo(object: Manifest, { path, before }: FieldChange): Manifest {
  const steps = [...path.matchAll(/\.?([A-Za-z_][\w-]*)|\[(\d+)\]|\["([^"]*)"\]/g)].map(
    ([, name, index, quoted]) => name ?? quoted ?? Number(index),
  );
  const value: unknown = before === undefined ? undefined : JSON.parse(before);
  const undone = put(object, steps, value);
  return isRecord(undone) ? undone : object;
}

function put(target: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items: unknown[] = Array.isArray(target) ? [...target] : [];
    const item = put(items[step], rest, value);
    if (item === undefined) items.splice(step, 1);
    else items[step] = item;
    return items;
  }
  const fields: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  const item = put(fields[step], rest, value);
  if (item === undefined) delete fields[step];
  else fields[step] = item;
  return fields;
}

/** Fields that the operator only reads when it creates something. Others may have an effect later. */
const READ_ONCE: Readonly<Record<RayRef['kind'], RegExp>> = {
  RayCluster:
    /^spec\.(rayVersion|autoscalerOptions|gcsFaultToleranceOptions|authOptions|(headGroupSpec|workerGroupSpecs\[\d+\])\.(template|rayStartParams|resources|labels))\b/,
  RayJob:
    /^spec\.(entrypoint\w*|jobId|metadata|rayClusterSpec|clusterSelector|runtimeEnvYAML|submissionMode|submitterPodTemplate|submitterConfig)\b/,
  RayService: /^spec\.rayClusterConfig\b/,
  RayCronJob: /^$/,
};

/** Whether a change of this field may be without effect. */
export function mayBeIgnored({ kind }: RayRef, { path }: FieldChange): boolean {
  return READ_ONCE[kind].test(path);
}

const WHY: Readonly<Record<RayRef['kind'], string>> = {
  RayCluster:
    'existing pods keep the old value, only pods created later get the new one. To replace the pods now, set spec.upgradeStrategy.type to Recreate',
  RayJob: 'the job has started: the new value counts only when the job starts again',
  RayService: 'the existing cluster keeps the old value',
  RayCronJob: '',
};

export function ignoredField({ kind }: RayRef, { path }: FieldChange): IgnoredField {
  return { path, why: WHY[kind] };
}

/** Changed pod templates of groups whose existing pods stay. */
export function partlyIgnored(
  ref: RayRef,
  edited: Manifest,
  changes: readonly FieldChange[],
  pods: readonly PodsChange[],
): readonly IgnoredField[] {
  if (ref.kind !== 'RayCluster') return [];
  return changes
    .filter((change) => mayBeIgnored(ref, change))
    .flatMap(({ path }) => {
      const group = groupAt(edited, path);
      const kept = pods.find((each) => each.cluster === ref.name && each.group === group)?.kept ?? 0;
      if (kept === 0) return [];
      const text = kept === 1 ? '1 existing pod keeps' : `${kept} existing pods keep`;
      return [{ path, isPartly: true, why: `${text} the old value, only new pods get the new one` }];
    });
}

/** The name of the group that a path leads into. */
function groupAt(edited: Manifest, path: string): string | undefined {
  if (path.startsWith('spec.headGroupSpec.')) return GroupName.Head;
  const index = /^spec\.workerGroupSpecs\[(\d+)\]/.exec(path)?.[1];
  const { spec } = edited;
  const groups = isRecord(spec) ? spec['workerGroupSpecs'] : undefined;
  const group: unknown = index === undefined || !Array.isArray(groups) ? undefined : groups[Number(index)];
  return isRecord(group) && typeof group['groupName'] === 'string' ? group['groupName'] : undefined;
}
