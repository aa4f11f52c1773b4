import { compareMatches, compileMatch, type Matcher, type MatchableRequest } from './match.ts';
import type { Endpoint } from './endpoint.ts';
import { HostIndex } from './host-index.ts';
import { patternBudget } from './pattern.ts';
import {
  type Address,
  addressKey,
  type Backend,
  type Filter,
  type RequestMatch,
  type RouteRule,
  type RouteTable,
} from './route-table.ts';
import type { Weighted } from './weighted-choice.ts';

/** A rule in use: its backends have connections and a share so far. */
export interface LiveRule {
  readonly key: string;
  readonly filters: readonly Filter[];
  readonly backends: readonly LiveBackend[];
  readonly timeoutMs: number | undefined;
}

export interface LiveBackend extends Weighted {
  readonly key: string;
  readonly endpoints: readonly Endpoint[];
  readonly problem: string | undefined;
}

/** What fits a request, or why nothing does. */
export type RouteMatch =
  | { readonly kind: 'rule'; readonly rule: LiveRule; readonly match: RequestMatch }
  | { readonly kind: 'none'; readonly why: string; readonly status?: number };

const TOO_LONG =
  'the request is too long for the patterns of its routes: shorten its path, or the headers and parameters that routes match by pattern';

/** A route table made ready for use: sorted, compiled, and tied to endpoints. */
export class LiveTable {
  readonly #plain: HostIndex<Sortable>;
  readonly #secure: HostIndex<Sortable>;
  /** A rule that is served with and without TLS is one rule, with one share. */
  readonly rules = new Map<string, LiveRule>();

  /** Shares go on from those of `before`; `endpointAt` gives the endpoint for an address, the same one for the same address. */
  constructor(table: RouteTable, before: LiveTable | undefined, endpointAt: (address: Address) => Endpoint) {
    const entriesOf = (rule: RouteRule) => this.#entries(rule, before, endpointAt);
    this.#plain = new HostIndex(table.gateways, entriesOf, compareEntries);
    this.#secure = new HostIndex(table.secure?.gateways ?? [], entriesOf, compareEntries);
  }

  /** The rule for a request that calls us `host`. */
  find(host: string, request: MatchableRequest): RouteMatch {
    const entries = (request.isSecure ? this.#secure : this.#plain).entriesFor(host);
    if (typeof entries === 'string') return { kind: 'none', why: entries };
    const budget = patternBudget();
    for (const entry of entries) {
      if (entry.fits(request, budget)) return entry;
      if (budget.left < 0) return { kind: 'none', why: TOO_LONG, status: 414 };
    }
    return { kind: 'none', why: `no route fits ${request.method} ${request.target}` };
  }

  #entries(rule: RouteRule, before: LiveTable | undefined, endpointAt: (address: Address) => Endpoint): Sortable[] {
    const live = this.rules.get(rule.key) ?? makeLive(rule, before?.rules.get(rule.key), endpointAt);
    this.rules.set(rule.key, live);
    const matches: readonly RequestMatch[] = rule.matches.length > 0 ? rule.matches : [{}];
    const { createdAt } = rule;
    return matches.map((match) => ({ kind: 'rule', match, fits: compileMatch(match), rule: live, createdAt }));
  }
}

/** One match of a rule. */
interface Sortable {
  readonly kind: 'rule';
  readonly match: RequestMatch;
  readonly fits: Matcher;
  readonly rule: LiveRule;
  readonly createdAt: number;
}

function compareEntries(a: Sortable, b: Sortable): number {
  return (
    compareMatches(a.match, b.match) ||
    a.createdAt - b.createdAt ||
    (a.rule.key < b.rule.key ? -1 : Number(a.rule.key > b.rule.key))
  );
}

function makeLive(rule: RouteRule, before: LiveRule | undefined, endpointAt: (address: Address) => Endpoint): LiveRule {
  const credits = new Map(before?.backends.map(({ key, credit }) => [key, credit]));
  const backends = rule.backends.map(({ key, weight, endpoints, problem }: Backend): LiveBackend => {
    const unique = new Map(endpoints.map((address) => [addressKey(address), address]));
    return { key, weight, problem, credit: credits.get(key) ?? 0, endpoints: [...unique.values()].map(endpointAt) };
  });
  return { key: rule.key, filters: rule.filters, backends, timeoutMs: rule.timeoutMs };
}
