import { type ResourceType, resources } from '@manta/kube';
import { usageError } from './cli-error.ts';

/** The kinds that commands take as TYPE/NAME. */
export type RayKind = 'raycluster' | 'rayjob' | 'rayservice' | 'raycronjob';

/** An object that the user named. */
export interface Target {
  readonly kind: RayKind;
  readonly name: string;
}

export const ALL_KINDS: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice', 'raycronjob'];

/** Where each kind is served. */
export const RAY_TYPES: Readonly<Record<RayKind, ResourceType>> = {
  raycluster: resources.rayClusters,
  rayjob: resources.rayJobs,
  rayservice: resources.rayServices,
  raycronjob: resources.rayCronJobs,
};

const isKind = (text: string, kinds: readonly RayKind[]): text is RayKind => kinds.some((kind) => kind === text);

const PLUGIN_KINDS: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice'];

/** Reads NAME (a RayCluster) or TYPE/NAME; types are not case-sensitive. */
export function parseTarget(text: string, kinds: readonly RayKind[] = PLUGIN_KINDS): Target {
  const [first = '', name, ...rest] = text.split('/');
  if (name === undefined) {
    if (first === '') throw usageError(`the name is empty. Use NAME or TYPE/NAME, e.g. ${kinds[0]}/my-name.`);
    return { kind: 'raycluster', name: first };
  }
  if (rest.length > 0 || name === '' || first === '') throw usageError(`invalid resource type/name: ${text}`);
  const kind = first.toLowerCase();
  if (isKind(kind, kinds)) return { kind, name };
  throw usageError(`unsupported resource type: ${first}. Use one of: ${kinds.join(', ')}.`);
}
