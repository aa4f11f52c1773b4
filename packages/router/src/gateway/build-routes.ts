import type { GatewayRoutes, HostRules, RouteRule, RouteTable } from '../proxy/route-table.ts';
import { attachRoute, isServed, parentKey } from './attach-route.ts';
import { type ConvertedRule, convertRule } from './convert-rule.ts';
import { CONTROLLER_NAME, type Gateway, GATEWAY_GROUP, type HttpRoute, type ParentRef } from './kinds.ts';
import type { Observed } from './observed.ts';
import { judge, type Verdict } from './verdict.ts';

/** The table for the proxy, and what is to be said about the objects that it was made of. */
export interface Built {
  readonly table: RouteTable;
  /** By `namespace/name`. */
  readonly gateways: ReadonlyMap<string, GatewayVerdict>;
  /** By `namespace/name`; those that concern us. */
  readonly routes: ReadonlyMap<string, readonly ParentVerdict[]>;
}

export interface GatewayVerdict {
  readonly conditions: readonly Verdict[];
  readonly listeners: readonly ListenerVerdict[];
}

export interface ListenerVerdict {
  readonly name: string;
  readonly attachedRoutes: number;
  readonly isServed: boolean;
  readonly conditions: readonly Verdict[];
}

export interface ParentVerdict {
  readonly parentRef: ParentRef;
  readonly conditions: readonly Verdict[];
}

/** Decides everything from what there is: pure, so that the same objects always give the same table. */
export function buildRoutes(observed: Observed, className: string): Built {
  const ours = new Map(
    observed.gateways
      .filter((gateway) => isOurs(gateway, observed, className))
      .map((gateway) => [keyOf(gateway), new GatewayDraft(gateway)]),
  );
  const routes = new Map<string, readonly ParentVerdict[]>();
  for (const route of observed.routes) {
    const verdicts = placeRoute(route, ours, observed);
    if (verdicts.length > 0) routes.set(keyOf(route), verdicts);
  }
  const drafts = [...ours.values()];
  return {
    table: { gateways: drafts.map((draft) => draft.routes()) },
    gateways: new Map([...ours].map(([key, draft]) => [key, draft.verdict()])),
    routes,
  };
}

/** A class is ours by its controller; where classes are not installed, or this one is not there, by the name we were told. */
function isOurs({ spec }: Gateway, { classes }: Observed, className: string): boolean {
  const name = spec?.gatewayClassName;
  const found = classes?.find(({ metadata }) => metadata?.name === name);
  return found === undefined ? name === className : found.spec?.controllerName === CONTROLLER_NAME;
}

function placeRoute(
  route: HttpRoute,
  gateways: ReadonlyMap<string, GatewayDraft>,
  observed: Observed,
): readonly ParentVerdict[] {
  const namespace = route.metadata?.namespace ?? '';
  const parents = (route.spec?.parentRefs ?? []).flatMap((parentRef) => {
    const draft = gateways.get(parentKey(parentRef, namespace) ?? '');
    return draft === undefined ? [] : [{ parentRef, draft }];
  });
  if (parents.length === 0) return [];
  const createdAt = Date.parse(route.metadata?.creationTimestamp ?? '') || 0;
  const rules = (route.spec?.rules ?? []).map((rule, index) =>
    convertRule(rule, { key: `${keyOf(route)}/${index}`, namespace, createdAt }, observed),
  );
  const usable = rules.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  return parents.map(({ parentRef, draft }) => {
    const attaching = attachRoute(route, parentRef, draft.gateway);
    const { yes, no } = judge(route.metadata?.generation);
    if (attaching.kind === 'refused') {
      return { parentRef, conditions: [no('Accepted', attaching.reason, attaching.message), resolved(rules, route)] };
    }
    for (const { listener, hostnames } of attaching.attachments)
      draft.add(listener.name ?? '', hostnames, usable, keyOf(route));
    const unsupported = rules.find((rule) => rule.unsupported !== undefined)?.unsupported;
    const accepted =
      unsupported === undefined
        ? yes('Accepted', 'the router serves this route')
        : no('Accepted', 'UnsupportedValue', unsupported);
    return { parentRef, conditions: [accepted, resolved(rules, route)] };
  });
}

function resolved(rules: readonly ConvertedRule[], route: HttpRoute): Verdict {
  const { yes, no } = judge(route.metadata?.generation);
  const [problem] = rules.flatMap(({ refProblems }) => refProblems);
  return problem === undefined
    ? yes('ResolvedRefs', 'every backend was found')
    : no('ResolvedRefs', problem.reason, problem.message);
}

/** Collects the rules of one Gateway. */
class GatewayDraft {
  readonly gateway: Gateway;
  readonly #rules = new Map<string | undefined, Map<string, RouteRule>>();
  readonly #attached = new Map<string, Set<string>>();

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  /** A route that several listeners take is served once. */
  add(listener: string, hostnames: readonly (string | undefined)[], rules: readonly RouteRule[], route: string): void {
    const attached = this.#attached.get(listener) ?? new Set();
    this.#attached.set(listener, attached.add(route));
    for (const hostname of hostnames) {
      const held = this.#rules.get(hostname) ?? new Map<string, RouteRule>();
      for (const rule of rules) held.set(rule.key, rule);
      this.#rules.set(hostname, held);
    }
  }

  routes(): GatewayRoutes {
    const { name = '', namespace = '' } = this.gateway.metadata ?? {};
    const hosts = [...this.#rules].map(([hostname, rules]): HostRules => ({ hostname, rules: [...rules.values()] }));
    return { ownHosts: [`${name}.${namespace}`], hosts };
  }

  verdict(): GatewayVerdict {
    const { yes, no } = judge(this.gateway.metadata?.generation);
    const listeners = (this.gateway.spec?.listeners ?? []).map((listener): ListenerVerdict => {
      const { name = '', protocol = '' } = listener;
      const refusal = `the router serves HTTP only, not ${protocol}`;
      return {
        name,
        attachedRoutes: this.#attached.get(name)?.size ?? 0,
        isServed: isServed(listener),
        conditions: isServed(listener)
          ? [yes('Accepted'), yes('Programmed'), yes('ResolvedRefs'), no('Conflicted', 'NoConflicts', '')]
          : [
              no('Accepted', 'UnsupportedProtocol', refusal),
              no('Programmed', 'Invalid', refusal),
              yes('ResolvedRefs'),
              no('Conflicted', 'NoConflicts', ''),
            ],
      };
    });
    const served = listeners.filter((listener) => listener.isServed);
    const isWhole = served.length === listeners.length;
    const message = isWhole
      ? 'the router serves this Gateway'
      : 'the router serves HTTP only; other listeners are left out';
    const conditions =
      served.length > 0
        ? [yes('Accepted', message, isWhole ? 'Accepted' : 'ListenersNotValid'), yes('Programmed', message)]
        : [no('Accepted', 'ListenersNotValid', message), no('Programmed', 'Invalid', message)];
    return { conditions, listeners };
  }
}

/** What a listener can be used for. */
export const SUPPORTED_KINDS = [{ group: GATEWAY_GROUP, kind: 'HTTPRoute' }] as const;

function keyOf({ metadata }: Gateway | HttpRoute): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
