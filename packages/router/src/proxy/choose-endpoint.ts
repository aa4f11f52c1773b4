import type { Endpoint } from './endpoint.ts';
import type { LiveBackend, LiveRule } from './live-table.ts';
import { chooseByWeight } from './weighted-choice.ts';

/** The chosen endpoint of a request. */
export interface Choice {
  readonly backend: LiveBackend;
  readonly endpoint: Endpoint;
}

/**
 * A backend by weight, and in it the endpoint with the fewest requests. Backends where nobody can be reached are passed over as long
 * as another one of the rule can be; where none can, those that were not tried yet are, since resting was only a guess.
 */
export function chooseEndpoint(rule: LiveRule, tried: ReadonlySet<Endpoint>, random: () => number): Choice | undefined {
  const isUp = (endpoint: Endpoint) => !tried.has(endpoint) && endpoint.isUp();
  const isUntried = (endpoint: Endpoint) => !tried.has(endpoint);
  return choose(rule, isUp, random) ?? choose(rule, isUntried, random);
}

function choose(rule: LiveRule, mayTake: (endpoint: Endpoint) => boolean, random: () => number): Choice | undefined {
  const able = rule.backends.length === 1 ? rule.backends : rule.backends.filter((one) => one.endpoints.some(mayTake));
  const backend = chooseByWeight(able);
  if (backend === undefined) return undefined;
  const endpoint = leastBusy(backend.endpoints, mayTake, random);
  return endpoint === undefined ? undefined : { backend, endpoint };
}

/** Of several that are equally busy each has the same chance. */
function leastBusy(
  endpoints: readonly Endpoint[],
  mayTake: (endpoint: Endpoint) => boolean,
  random: () => number,
): Endpoint | undefined {
  let best: Endpoint | undefined;
  let ties = 0;
  for (const endpoint of endpoints) {
    if (!mayTake(endpoint)) continue;
    if (best === undefined || endpoint.outstanding < best.outstanding) {
      best = endpoint;
      ties = 1;
    } else if (endpoint.outstanding === best.outstanding) {
      ties += 1;
      if (random() * ties < 1) best = endpoint;
    }
  }
  return best;
}
