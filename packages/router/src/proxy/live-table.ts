import { compareMatches, compileMatch, type Matcher, type Sought } from './match.ts';
import type { Endpoint } from './endpoint.ts';
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
export type Found =
  | { readonly kind: 'rule'; readonly rule: LiveRule; readonly match: RequestMatch }
  | { readonly kind: 'none'; readonly why: string };

interface Entry {
  readonly match: RequestMatch;
  readonly fits: Matcher;
  readonly rule: LiveRule;
}

/** A route table made ready for use: sorted, compiled, and tied to endpoints. */
export class LiveTable {
  readonly #exact = new Map<string, readonly Entry[]>();
  readonly #wildcards: { readonly suffix: string; readonly entries: readonly Entry[] }[] = [];
  readonly #own = new Map<string, readonly Entry[]>();
  readonly #catchAlls: { readonly name: string; readonly entries: readonly Entry[] }[] = [];
  readonly rules = new Map<string, LiveRule>();

  /** Shares go on from those of `before`; `endpointAt` gives the endpoint for an address, the same one for the same address. */
  constructor(table: RouteTable, before: LiveTable | undefined, endpointAt: (address: Address) => Endpoint) {
    const byHost = new Map<string, Sortable[]>();
    for (const { ownHosts, hosts } of table.gateways) {
      const forAll: Sortable[] = [];
      for (const { hostname, rules } of hosts) {
        const entries = rules.flatMap((rule) => this.#entries(rule, before, endpointAt));
        if (hostname === undefined) forAll.push(...entries);
        else byHost.set(hostname.toLowerCase(), [...(byHost.get(hostname.toLowerCase()) ?? []), ...entries]);
      }
      const sorted = forAll.toSorted(compareEntries);
      for (const own of ownHosts) this.#own.set(own.toLowerCase(), sorted);
      if (forAll.length > 0) this.#catchAlls.push({ name: ownHosts[0] ?? '', entries: sorted });
    }
    for (const [host, entries] of byHost) this.#addHost(host, entries.toSorted(compareEntries));
    this.#wildcards.sort((a, b) => b.suffix.length - a.suffix.length);
  }

  /** The rule for a request that calls us `host`. */
  find(host: string, sought: Sought): Found {
    const entries = this.#entriesFor(bareHost(host));
    if (typeof entries === 'string') return { kind: 'none', why: entries };
    const entry = entries.find(({ fits }) => fits(sought));
    if (entry === undefined) return { kind: 'none', why: `no route fits ${sought.method} ${sought.target}` };
    return { kind: 'rule', rule: entry.rule, match: entry.match };
  }

  #entriesFor(host: string): readonly Entry[] | string {
    const exact = this.#own.get(host) ?? this.#exact.get(host);
    if (exact !== undefined) return exact;
    const wildcard = this.#wildcards.find(({ suffix }) => host.endsWith(suffix) && host.length > suffix.length);
    if (wildcard !== undefined) return wildcard.entries;
    const [only, ...others] = this.#catchAlls;
    if (only === undefined) return `no route is known for the host ${host}`;
    if (others.length === 0) return only.entries;
    const names = this.#catchAlls.map(({ name }) => name).toSorted();
    return `several Gateways are served here and none is for the host ${host}; name one in the Host header: ${names.join(', ')}`;
  }

  #addHost(host: string, entries: readonly Entry[]): void {
    if (host.startsWith('*.')) this.#wildcards.push({ suffix: host.slice(1), entries });
    else this.#exact.set(host, entries);
  }

  #entries(rule: RouteRule, before: LiveTable | undefined, endpointAt: (address: Address) => Endpoint): Sortable[] {
    const live = this.rules.get(rule.key) ?? makeLive(rule, before?.rules.get(rule.key), endpointAt);
    this.rules.set(rule.key, live);
    const matches: readonly RequestMatch[] = rule.matches.length > 0 ? rule.matches : [{}];
    return matches.map((match) => ({ match, fits: compileMatch(match), rule: live, createdAt: rule.createdAt }));
  }
}

interface Sortable extends Entry {
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

/** The host name in lower case without the port. */
function bareHost(host: string): string {
  const colon = host.lastIndexOf(':');
  const isPort = colon > 0 && !host.endsWith(']');
  return (isPort ? host.slice(0, colon) : host).toLowerCase();
}
