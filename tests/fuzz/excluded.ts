import { isObject, type JsonObject } from '../../packages/engine/src/json.ts';
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
];

/**
 * What is never sent, and why: the generators leave these out.
 */
export const neverSent: Readonly<Record<string, string>> = {
  'spec.suspend of jobs':
    'the template of a suspended job may change in part; the embedded server keeps all of it fixed',
  'new jobs without labels':
    'the real server stores them without the labels that it shows, and the next write, though it changes nothing, stores those',
  'spec.clusterIPs and spec.ipFamilies of services':
    'the test cluster has one family of addresses, and so has the engine',
  generateName: 'names would differ; the conformance suite has cases of it',
};
