import { type AccessQuestion, type Clock, mayI } from '@manta/kube';
import type { ViewerSession } from '../identity/sessions.ts';

/** What a viewer may do with a cluster's dashboard: `get` reads, `ray:write` profiles, uploads and everything else. */
export type DashboardVerb = 'get' | 'ray:write';

export function questionAbout(verb: DashboardVerb, namespace: string, cluster: string): AccessQuestion {
  return { verb, group: 'ray.io', resource: 'rayclusters', namespace, name: cluster };
}

/** A page of Ray's dashboard asks for dozens of things at once: the API server is asked once for all of them. */
const ANSWER_AGE_MS = 10_000;

/** Remembers for a moment what the API server answered about a viewer's rights. */
export class ViewerRights {
  readonly #clock: Clock;
  readonly #answers = new WeakMap<ViewerSession, Map<string, { readonly at: number; readonly is: Promise<boolean> }>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async may(viewer: ViewerSession, verb: DashboardVerb, namespace: string, cluster: string): Promise<boolean> {
    const own = this.#answers.get(viewer) ?? new Map<string, { readonly at: number; readonly is: Promise<boolean> }>();
    this.#answers.set(viewer, own);
    const now = this.#clock.now();
    for (const [key, { at }] of own) if (Math.abs(now - at) > ANSWER_AGE_MS) own.delete(key);
    const key = `${verb} ${namespace}/${cluster}`;
    const known = own.get(key);
    if (known !== undefined) return await known.is;
    const is = mayI(viewer.access.client, questionAbout(verb, namespace, cluster), { signal: viewer.ended }).then(
      ({ isAllowed }) => isAllowed,
    );
    is.catch(() => own.delete(key));
    own.set(key, { at: now, is });
    return await is;
  }
}
