import { RequestFailed, send } from '../live/api.ts';
import type { Manifest } from './findings.ts';

/** A field that another manager owns and whose value the manifest changes. */
export interface FieldConflict {
  readonly field: string;
  readonly manager: string;
}

/** What the API server says about an apply. */
export type ApplyAnswer =
  | { readonly kind: 'applied'; readonly object: Manifest }
  | { readonly kind: 'conflict'; readonly conflicts: readonly FieldConflict[]; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

const PATHS: Readonly<Record<string, string>> = {
  'ray.io/v1/RayCluster': '/apis/ray.io/v1/namespaces/{}/rayclusters/',
  'ray.io/v1/RayJob': '/apis/ray.io/v1/namespaces/{}/rayjobs/',
  'ray.io/v1/RayService': '/apis/ray.io/v1/namespaces/{}/rayservices/',
  'ray.io/v1/RayCronJob': '/apis/ray.io/v1/namespaces/{}/raycronjobs/',
  'v1/ConfigMap': '/api/v1/namespaces/{}/configmaps/',
};

/** Path of a manifest's object; undefined for kinds that the console does not write. */
export function pathOf({ apiVersion = '', kind = '', metadata = {} }: Manifest): string | undefined {
  const folder = PATHS[`${apiVersion}/${kind}`];
  const { name = '', namespace = 'default' } = metadata;
  return folder === undefined || name === ''
    ? undefined
    : folder.replace('{}', encodeURIComponent(namespace)) + encodeURIComponent(name);
}

export interface ApplyOptions {
  readonly isDryRun: boolean;
  /** Takes fields over from other managers. */
  readonly force: boolean;
  /** The object that was opened: if it was deleted meanwhile, the server refuses instead of creating another. */
  readonly uid?: string | undefined;
}

/** Server-side apply of one manifest. */
export async function applyOne(manifest: Manifest, { isDryRun, force, uid }: ApplyOptions): Promise<ApplyAnswer> {
  const path = pathOf(manifest);
  if (path === undefined)
    return {
      kind: 'refused',
      message: `The console applies Ray objects and ConfigMaps with a name, not ${manifest.kind ?? 'this'}. Copy the kubectl command instead.`,
    };
  const { status: _, ...rest } = manifest;
  const metadata = { ...rest.metadata, ...(uid === undefined ? {} : { uid }) };
  const query = new URLSearchParams({
    fieldManager: 'manta-console',
    fieldValidation: 'Strict',
    ...(isDryRun ? { dryRun: 'All' } : {}),
    ...(force ? { force: 'true' } : {}),
  });
  try {
    const answer = await send(`${path}?${query.toString()}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({ ...rest, metadata }),
    });
    return { kind: 'applied', object: await answer.json() };
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    const conflicts = conflictsIn(error.body);
    return error.status === 409 && conflicts.length > 0
      ? { kind: 'conflict', conflicts, message: error.message }
      : { kind: 'refused', message: error.message };
  }
}

interface StatusBody {
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  };
}

function conflictsIn(body: unknown): readonly FieldConflict[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every part is optional and checked below
  const { details } = (typeof body === 'object' && body !== null ? body : {}) as StatusBody;
  return (details?.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ field = '', message = '' }) => ({
      field: field.replace(/^\./, ''),
      manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? 'another manager',
    }));
}
