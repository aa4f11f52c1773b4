import type { GatewayRoutes, HostCertificate, HostRules, RouteRule } from '../proxy/route-table.ts';
import { strangeKinds, takesHttpRoutes } from './attach-route.ts';
import { type Gateway, GATEWAY_GROUP, type Listener } from './kinds.ts';
import { type HostnameClaims, hostnameOf } from './hostname-claims.ts';
import { isSecure, isServed, listenerCertificates, type ListenerProblem } from './listener-tls.ts';
import type { CertificateRecord, Observed } from './observed.ts';
import { judge, type Verdict } from './verdict.ts';

/** The verdict on a Gateway, for its status. */
export interface GatewayVerdict {
  readonly conditions: readonly Verdict[];
  readonly listeners: readonly ListenerVerdict[];
}

export interface ListenerVerdict {
  readonly name: string;
  readonly attachedRoutes: number;
  /** What it can be used for; nothing where it is not of a protocol that we serve. */
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly conditions: readonly Verdict[];
}

type RulesByHost = Map<string | undefined, Map<string, RouteRule>>;

/** One listener, with its certificates or what it lacks. */
interface Judged {
  readonly listener: Listener;
  readonly certificates: readonly CertificateRecord[];
  readonly problem: ListenerProblem | undefined;
}

/** Collects the rules of one Gateway. */
export class GatewayDraft {
  readonly gateway: Gateway;
  readonly #listeners: readonly Judged[];
  readonly #plain: RulesByHost = new Map();
  readonly #secure: RulesByHost = new Map();
  readonly #attached = new Map<string, Set<string>>();

  constructor(gateway: Gateway, observed: Observed, claims: HostnameClaims) {
    this.gateway = gateway;
    this.#listeners = (gateway.spec?.listeners ?? []).map((listener) => {
      const owner = claims.conflictOf(listener);
      const found = owner === undefined ? listenerCertificates(listener, gateway, observed) : conflict(listener, owner);
      return 'reason' in found
        ? { listener, certificates: [], problem: found }
        : { listener, certificates: found, problem: undefined };
    });
  }

  /** A route that several listeners take is served once. */
  add(
    listener: Listener,
    hostnames: readonly (string | undefined)[],
    rules: readonly RouteRule[],
    route: string,
  ): void {
    const { name = '' } = listener;
    const attached = this.#attached.get(name) ?? new Set();
    this.#attached.set(name, attached.add(route));
    // Its routes would be served by whichever other listener has a certificate.
    if (this.#listeners.some((judged) => judged.listener === listener && judged.problem !== undefined)) return;
    const byHost = isSecure(listener) ? this.#secure : this.#plain;
    for (const hostname of hostnames) {
      const held = byHost.get(hostname) ?? new Map<string, RouteRule>();
      for (const rule of rules) held.set(rule.key, rule);
      byHost.set(hostname, held);
    }
  }

  /** For clients without TLS. */
  routes(): GatewayRoutes {
    return { ownHosts: [this.#ownHost()], hosts: this.#hosts(this.#plain, false) };
  }

  /** For clients with TLS. */
  secureRoutes(): GatewayRoutes {
    return { ownHosts: [this.#ownHost()], hosts: this.#hosts(this.#secure, true) };
  }

  /** A listener keeps its hostname also while it has no routes: requests for it are not for others with a wildcard. */
  #hosts(byHost: RulesByHost, isForTls: boolean): readonly HostRules[] {
    const hosts = [...byHost].map(([hostname, rules]) => ({ hostname, rules: [...rules.values()] }));
    const idle = this.#listeners.flatMap(({ listener, problem }) => {
      const hostname = hostnameOf(listener);
      const isOurs = isServed(listener) && isSecure(listener) === isForTls && problem?.reason !== 'HostnameConflict';
      return isOurs && hostname !== undefined && !byHost.has(hostname) ? [hostname] : [];
    });
    return [...hosts, ...[...new Set(idle)].map((hostname) => ({ hostname, rules: [] }))];
  }

  /** A listener for all hosts also matches the Gateway's own name, by which several Gateways are distinguished. */
  certificates(): readonly HostCertificate[] {
    return this.#listeners.flatMap(({ listener, certificates }): readonly HostCertificate[] => {
      if (certificates.length === 0) return [];
      const pairs = { certs: certificates.map(({ cert }) => cert), keys: certificates.map(({ key }) => key) };
      if (listener.hostname) return [{ hostname: listener.hostname, ...pairs }];
      return [
        { hostname: this.#ownHost(), isOwnName: true, ...pairs },
        { hostname: undefined, ...pairs },
      ];
    });
  }

  verdict(): GatewayVerdict {
    const { yes, no } = judge(this.gateway.metadata?.generation);
    const bad = this.#listeners.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
    const listeners = this.#listeners.map((judged) => this.#listenerVerdict(judged));
    const [first] = bad;
    const message =
      first === undefined
        ? 'the router serves this Gateway'
        : `${bad.length === listeners.length ? 'no listener can be served' : 'some listeners are left out'}: ${first.message}`;
    const conditions =
      bad.length < listeners.length
        ? [yes('Accepted', message, first === undefined ? 'Accepted' : 'ListenersNotValid'), yes('Programmed', message)]
        : [no('Accepted', 'ListenersNotValid', message), no('Programmed', 'Invalid', message)];
    return { conditions, listeners };
  }

  #listenerVerdict({ listener, problem }: Judged): ListenerVerdict {
    const { name = '' } = listener;
    const { yes, no } = judge(this.gateway.metadata?.generation);
    const say = (type: ListenerProblem['type']) =>
      problem?.type === type ? no(type, problem.reason, problem.message) : yes(type);
    const strange = strangeKinds(listener);
    const kinds = `the router knows HTTPRoutes only, not ${strange.join(', ')}`;
    return {
      name,
      attachedRoutes: this.#attached.get(name)?.size ?? 0,
      supportedKinds: problem?.reason === 'UnsupportedProtocol' || !takesHttpRoutes(listener) ? [] : SUPPORTED_KINDS,
      conditions: [
        say('Accepted'),
        problem === undefined ? yes('Programmed') : no('Programmed', 'Invalid', problem.message),
        strange.length > 0 && problem?.type !== 'ResolvedRefs'
          ? no('ResolvedRefs', 'InvalidRouteKinds', kinds)
          : say('ResolvedRefs'),
        problem?.reason === 'HostnameConflict'
          ? yes('Conflicted', problem.message, problem.reason)
          : no('Conflicted', 'NoConflicts', ''),
      ],
    };
  }

  #ownHost(): string {
    const { name = '', namespace = '' } = this.gateway.metadata ?? {};
    return `${name}.${namespace}`;
  }
}

const SUPPORTED_KINDS = [{ group: GATEWAY_GROUP, kind: 'HTTPRoute' }] as const;

/** The Gateway API has the listener say so twice: as a conflict, and as not accepted. */
function conflict({ hostname }: Listener, { metadata }: Gateway): ListenerProblem {
  const owner = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
  const message = `the hostname ${hostname} belongs to the Gateway ${owner}, which is older; choose another hostname, or attach the routes to that Gateway`;
  return { type: 'Accepted', reason: 'HostnameConflict', message };
}
