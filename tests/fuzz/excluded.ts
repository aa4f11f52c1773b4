import { isObject, type JsonObject } from '../../packages/apiserver/src/object/json.ts';
import type { Operation } from './operation.ts';

/** Something that is not compared, and why. */
export interface Exclusion {
  readonly what: string;
  readonly why: string;
  /** Whether the operation may be such a case. */
  readonly concerns: (operation: Operation) => boolean;
  /** Whether it is one, given the object as it is on the server. */
  readonly applies: (live: JsonObject | undefined) => boolean;
}

/** Operations that are left out. */
export const exclusions: readonly Exclusion[] = [
  {
    what: 'writes to the status of a service that does not exist',
    why: 'the real server creates a service without an address out of them; the embedded one answers NotFound, as for all other kinds',
    concerns: (operation) =>
      operation.plural === 'services' && 'subresource' in operation && operation.subresource === 'status',
    applies: (live) => live === undefined,
  },
  {
    what: 'dry updates of a service that does not exist',
    why: 'the real server shows the version that the client made up, though the object would be a new one',
    concerns: (operation) =>
      operation.plural === 'services' && operation.do === 'update' && operation.isDryRun === true,
    applies: (live) => live === undefined,
  },
  {
    what: 'deletes of a certain version of an object that is being deleted',
    why: 'where they free it of its last finalizer the real server trips over its own write and answers Conflict',
    concerns: (operation) => operation.do === 'delete' && operation.version !== undefined,
    applies: (live) => isObject(live?.['metadata']) && live['metadata']['deletionTimestamp'] !== undefined,
  },
  {
    what: 'new jobs without labels',
    why: 'the real server stores them without the labels that it shows, and the next write, though it changes nothing, stores those',
    concerns: (operation) => operation.plural === 'jobs' && isWhole(operation) && !hasLabels(operation.body),
    applies: (live) => live === undefined,
  },
];

function isWhole(operation: Operation): operation is Operation & { readonly body: unknown } {
  return operation.do === 'create' || (operation.do === 'patch' && operation.type === 'apply');
}

function hasLabels(body: unknown): boolean {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  const labels = isObject(metadata) ? metadata['labels'] : undefined;
  return isObject(labels) ? Object.keys(labels).length > 0 : labels !== undefined;
}

/**
 * What is never sent, and why: the generators leave these out.
 */
export const neverSent: Readonly<Record<string, string>> = {
  'spec.clusterIPs and spec.ipFamilies of services':
    'the test cluster has one family of addresses, and so has the engine',
  generateName: 'names would differ; the conformance suite has cases of it',
};
