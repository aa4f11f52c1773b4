import type { FieldChange, IgnoredField, ObjectPreview } from '@manta/insight';

export const VERDICTS: Readonly<Record<ObjectPreview['verdict'], string>> = {
  nothing: 'no changes',
  create: 'will be created',
  change: 'will change',
  reject: 'is refused',
};

/** `spec.suspend: false → true`; a removed field has no new value, an added one no old value. */
export function changeText({ path, before, after }: FieldChange): string {
  if (before === undefined) return `${path}: ${after ?? ''}`;
  if (after === undefined) return `${path}: ${before} → not set`;
  return `${path}: ${before} → ${after}`;
}

export const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

export function signOf({ before, after }: FieldChange): keyof typeof SIGNS {
  if (before === undefined) return 'added';
  return after === undefined ? 'removed' : 'changed';
}

/** Rows about pods: group, created, deleted, replaced, kept, why. */
export function podRows({ pods, ref }: ObjectPreview): readonly (readonly string[])[] {
  return pods.map(({ cluster, group, created, deleted, replaced, kept, why = '' }) => [
    ref.kind === 'RayCluster' ? group : `${cluster}/${group}`,
    ...[created, deleted, replaced, kept].map((count) => (count === 0 ? '-' : String(count))),
    why,
  ]);
}

export const POD_COLUMNS = ['Group', 'New', 'Deleted', 'Replaced', 'Kept', 'Why'] as const;
export const RESOURCE_COLUMNS = ['Resource', 'Now', 'Peak', 'After'] as const;

export function downtimeText({ downtime, verdict }: ObjectPreview): string {
  switch (downtime.kind) {
    case 'none':
      return verdict === 'create' ? 'none, the object is new' : 'none';
    case 'interrupted':
      return `yes, for a while: ${downtime.why}`;
    case 'stopped':
      return `yes, service ends: ${downtime.why}`;
  }
}

/** Fields without effect, those with the same reason together. */
export function ignoredByReason(ignored: readonly IgnoredField[]): ReadonlyMap<string, readonly string[]> {
  const byReason = new Map<string, string[]>();
  for (const { path, why } of ignored) byReason.set(why, [...(byReason.get(why) ?? []), path]);
  return byReason;
}

/** One line for all: what is created, changed and refused, and whether service is interrupted. */
export function totalText(previews: readonly ObjectPreview[]): string {
  const count = (verdict: ObjectPreview['verdict']) => previews.filter((each) => each.verdict === verdict).length;
  const [created, changed, refused] = [count('create'), count('change'), count('reject')];
  if (created + changed + refused === 0) return 'Plan: nothing to do.';
  const pods = previews.flatMap((each) => each.pods);
  const sum = (key: 'created' | 'deleted' | 'replaced') => pods.reduce((total, each) => total + each[key], 0);
  const objects = [
    created > 0 ? `${created} to create` : '',
    changed > 0 ? `${changed} to change` : '',
    refused > 0 ? `${refused} refused` : '',
  ].filter((part) => part !== '');
  const podText = `pods: ${sum('created')} new, ${sum('deleted')} deleted, ${sum('replaced')} replaced`;
  const isDown = previews.some(({ downtime }) => downtime.kind !== 'none');
  return `Plan: ${objects.join(', ')}; ${podText}; ${isDown ? 'with downtime' : 'no downtime'}.`;
}

export function rightsText(rights: readonly string[]): string {
  return `Not read, because you may not ${rights.join(', nor ')}: the plan assumes that these objects are as the spec asks.`;
}
