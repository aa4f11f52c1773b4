import type { Verb } from '../../requests/request.ts';

/** The attributes of a request that fault rules match. */
export interface FaultCall {
  /** What the client calls itself: the first word of its User-Agent. */
  readonly client: string;
  readonly verb: Verb;
  /** Plural name of the resource, e.g. `pods`; the path for requests that name no resource. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Which requests are meant; every part that is given must match. */
export interface CallFilter {
  readonly clients?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly resources?: readonly string[];
  readonly names?: readonly string[];
  readonly subresources?: readonly string[];
}

/** The verbs that change something. */
export const WRITES: readonly Verb[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Whether a request is meant by a filter. */
export function matches(filter: CallFilter, call: FaultCall): boolean {
  const { clients, verbs, resources, names, subresources } = filter;
  return (
    isOneOf(clients, call.client) &&
    isOneOf(verbs, call.verb) &&
    isOneOf(resources, call.resource) &&
    isOneOf(names, call.name ?? '') &&
    isOneOf(subresources, call.subresource ?? '')
  );
}

function isOneOf<T>(wanted: readonly T[] | undefined, value: T): boolean {
  return wanted === undefined || wanted.includes(value);
}
