import type { GatewayRoutes, RouteRule } from './route-table.ts';

/** Finds what there is for a host name. `T` is what a rule becomes; a rule may become several. */
export class HostIndex<T> {
  readonly #exact = new Map<string, readonly T[]>();
  readonly #wildcards: { readonly suffix: string; readonly entries: readonly T[] }[] = [];
  readonly #own = new Map<string, readonly T[]>();
  readonly #catchAlls: { readonly name: string; readonly entries: readonly T[] }[] = [];

  constructor(
    gateways: readonly GatewayRoutes[],
    entriesOf: (rule: RouteRule) => readonly T[],
    compare: (a: T, b: T) => number,
  ) {
    const byHost = new Map<string, T[]>();
    for (const { ownHosts, hosts } of gateways) {
      const forAll: T[] = [];
      for (const { hostname, rules } of hosts) {
        const entries = rules.flatMap(entriesOf);
        if (hostname === undefined) forAll.push(...entries);
        else byHost.set(hostname.toLowerCase(), [...(byHost.get(hostname.toLowerCase()) ?? []), ...entries]);
      }
      const sorted = forAll.toSorted(compare);
      for (const own of ownHosts) this.#own.set(own.toLowerCase(), sorted);
      if (forAll.length > 0) this.#catchAlls.push({ name: ownHosts[0] ?? '', entries: sorted });
    }
    for (const [host, entries] of byHost) this.#addHost(host, entries.toSorted(compare));
    this.#wildcards.sort((a, b) => b.suffix.length - a.suffix.length);
  }

  /** What there is for a client that calls us `host`, or why nothing is. */
  entriesFor(host: string): readonly T[] | string {
    const bare = bareHost(host);
    const exact = this.#exact.get(bare);
    if (exact !== undefined) return exact;
    const wildcard = this.#wildcards.find(({ suffix }) => bare.endsWith(suffix) && bare.length > suffix.length);
    if (wildcard !== undefined) return wildcard.entries;
    const own = this.#own.get(bare);
    if (own !== undefined) return own;
    const [only] = this.#catchAlls;
    if (only === undefined) return `no route is known for the host ${bare}`;
    if (this.#catchAlls.length === 1) return only.entries;
    const names = this.#catchAlls.map(({ name }) => name).toSorted();
    return `several Gateways are served here and none is for the host ${bare}; name one in the Host header: ${names.join(', ')}`;
  }

  #addHost(host: string, entries: readonly T[]): void {
    if (host.startsWith('*.')) this.#wildcards.push({ suffix: host.slice(1), entries });
    else this.#exact.set(host, entries);
  }
}

/** The host name in lower case, without the port and the dot of a name that is absolute. */
function bareHost(host: string): string {
  const colon = host.lastIndexOf(':');
  const isPort = colon > 0 && !host.endsWith(']');
  const name = (isPort ? host.slice(0, colon) : host).toLowerCase();
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
