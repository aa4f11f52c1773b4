/** The proxy's routing configuration: rules with their matches and backends. Plain data, replaced as a whole. */
export interface RouteTable {
  /** For connections without TLS. */
  readonly gateways: readonly GatewayRoutes[];
  /** For connections with TLS; absent where there are none. */
  readonly secure?: SecureRoutes | undefined;
}

/** What is served to clients that come with TLS, and who we are to them. */
export interface SecureRoutes {
  readonly gateways: readonly GatewayRoutes[];
  readonly certificates: readonly HostCertificate[];
}

/** A certificate for a host name, in PEM. Several pairs are one identity under several kinds of keys. */
export interface HostCertificate {
  /** `example.com`, `*.example.com`, or undefined for every host, and for clients that name none. */
  readonly hostname: string | undefined;
  /** The name of a Gateway, which never wins over a hostname of a listener. */
  readonly isOwnName?: boolean;
  readonly certs: readonly string[];
  readonly keys: readonly string[];
}

/** The rules that one Gateway brings. */
export interface GatewayRoutes {
  /** Names by which clients choose this Gateway among several that share an address: `name.namespace`. Hostnames win over them. */
  readonly ownHosts: readonly string[];
  readonly hosts: readonly HostRules[];
}

/** The rules for one host name. */
export interface HostRules {
  /** `example.com`, `*.example.com`, or undefined for every host. */
  readonly hostname: string | undefined;
  readonly rules: readonly RouteRule[];
}

/** Requests that fit one of the matches go to the backends, by weight. */
export interface RouteRule {
  /** Stays the same while the rule's content changes, so that shares continue where they were. */
  readonly key: string;
  /** When the route was made, in milliseconds: of two rules that fit equally well, the older one wins. */
  readonly createdAt: number;
  /** Empty: every request. */
  readonly matches: readonly RequestMatch[];
  readonly filters: readonly Filter[];
  readonly backends: readonly Backend[];
  /** How long the first byte of an answer may take; undefined leaves it to the proxy. */
  readonly timeoutMs?: number | undefined;
}

/** All that is given must fit. */
export interface RequestMatch {
  readonly path?: { readonly kind: 'prefix' | 'exact' | 'regex'; readonly value: string } | undefined;
  readonly method?: string | undefined;
  readonly headers?: readonly ValueMatch[] | undefined;
  readonly query?: readonly ValueMatch[] | undefined;
}

/** One header or query parameter, by name. */
export interface ValueMatch {
  readonly name: string;
  readonly kind: 'exact' | 'regex';
  readonly value: string;
}

/** What is done to requests and answers on their way. */
export type Filter =
  | { readonly kind: 'request-headers'; readonly change: HeaderChange }
  | { readonly kind: 'response-headers'; readonly change: HeaderChange }
  | { readonly kind: 'rewrite'; readonly hostname?: string | undefined; readonly path?: PathChange | undefined }
  | {
      readonly kind: 'redirect';
      readonly status: number;
      readonly scheme?: string | undefined;
      readonly hostname?: string | undefined;
      readonly port?: number | undefined;
      readonly path?: PathChange | undefined;
    }
  /** The rule cannot be carried out: every request gets this as a 500. */
  | { readonly kind: 'refuse'; readonly why: string };

/** Removes first, then replaces, then adds. */
export interface HeaderChange {
  readonly set: readonly (readonly [name: string, value: string])[];
  readonly add: readonly (readonly [name: string, value: string])[];
  readonly remove: readonly string[];
}

/** A new path, or a new beginning in place of the prefix that matched. */
export type PathChange =
  | { readonly kind: 'full'; readonly value: string }
  | { readonly kind: 'prefix'; readonly value: string };

/** One Service behind a rule. */
export interface Backend {
  /** For people and metrics: `namespace/name:port`. */
  readonly key: string;
  /** Its share among the backends of the rule; 0 is none at all. */
  readonly weight: number;
  readonly endpoints: readonly Address[];
  /** Why there are no endpoints, for the answer that requests get. */
  readonly problem?: string | undefined;
}

/** One place where a backend answers. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** `auto`: HTTP/1.1, but HTTP/2 for gRPC, which cannot do without. */
  readonly protocol: 'auto' | 'http1' | 'http2';
}

/** One line for an address, the same for the same address. */
export function addressKey({ host, port, protocol }: Address): string {
  return `${protocol} ${host.includes(':') ? `[${host}]` : host}:${port}`;
}
