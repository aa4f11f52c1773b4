import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';

/** The kinds that are written to; all live in a namespace. */
export const kinds = {
  rayclusters: { apiVersion: 'ray.io/v1', kind: 'RayCluster' },
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  secrets: { apiVersion: 'v1', kind: 'Secret' },
  services: { apiVersion: 'v1', kind: 'Service' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  jobs: { apiVersion: 'batch/v1', kind: 'Job' },
} as const;

/** A kind's name in paths. */
export type Plural = keyof typeof kinds;

/** The four ways to patch. */
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

interface Target {
  readonly plural: Plural;
  readonly name: string;
}

interface Writer {
  readonly by: string;
  readonly isDryRun?: boolean;
}

/**
 * One request. It holds no uid and no version of a server, only how to find them, so that a sequence means the same on both servers and
 * after some of its operations are left out.
 */
export type Operation =
  | (Target & Writer & { readonly do: 'create'; readonly body: JsonObject; readonly isStrict?: boolean })
  | (Target &
      Writer & {
        readonly do: 'update';
        /** What is laid over the object as it is. */
        readonly body: JsonObject;
        /** Leaves out all of the object that the body does not say. */
        readonly isBare?: boolean;
        readonly version: 'current' | 'first' | 'none';
        readonly subresource?: 'status' | 'resize';
      })
  | (Target &
      Writer & {
        readonly do: 'patch';
        readonly type: PatchType;
        readonly body: unknown;
        readonly isForced?: boolean;
        readonly subresource?: 'status' | 'resize';
      })
  | (Target & {
      readonly do: 'delete';
      readonly uid?: 'right' | 'wrong';
      readonly version?: 'right' | 'wrong';
      readonly options: JsonObject;
    })
  | { readonly do: 'deleteCollection'; readonly plural: Plural; readonly query: string }
  | (Target & { readonly do: 'get' })
  | { readonly do: 'list'; readonly plural: Plural; readonly query: string; readonly isContinued?: boolean };

/** Where a kind's objects are. */
export function collectionPath(plural: Plural, namespace: string): string {
  const { apiVersion } = kinds[plural];
  return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${plural}`;
}
