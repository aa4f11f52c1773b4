import type { JsonObject } from '../../packages/engine/src/json.ts';
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
];
