import type { RouteTable } from '../proxy/route-table.ts';
import { attachRoute, parentKey } from './attach-route.ts';
import { type ConvertedRule, convertRule } from './convert-rule.ts';
import { GatewayDraft, type GatewayVerdict } from './gateway-draft.ts';
import { HostnameClaims } from './hostname-claims.ts';
import type { Gateway, HttpRoute, ParentRef } from './kinds.ts';
import type { Observed } from './observed.ts';
import { servedGateways } from './served-gateways.ts';
import { judge, type Verdict } from './verdict.ts';

/** The proxy's route table, and the verdicts for the statuses of the objects that it was built from. */
export interface Built {
  readonly table: RouteTable;
  /** By `namespace/name`. */
  readonly gateways: ReadonlyMap<string, GatewayVerdict>;
  /** By `namespace/name`; those that concern us. */
  readonly routes: ReadonlyMap<string, readonly ParentVerdict[]>;
}

export interface ParentVerdict {
  readonly parentRef: ParentRef;
  readonly conditions: readonly Verdict[];
}

/** Decides everything from what there is: pure, so that the same objects always give the same table. */
export function buildRoutes(observed: Observed, className: string): Built {
  const gateways = servedGateways(observed, className);
  const claims = new HostnameClaims(gateways);
  const ours = new Map(gateways.map((gateway) => [keyOf(gateway), new GatewayDraft(gateway, observed, claims)]));
  const placed = Map.groupBy(
    observed.routes.flatMap((route) => findParents(route, ours)),
    ({ gateway }) => gateway,
  );
  const routes = new Map<string, ParentVerdict[]>();
  const converted = new Map<HttpRoute, readonly ConvertedRule[]>();
  // The oldest Gateway first: it owns what several claim.
  for (const [key, draft] of ours) {
    for (const { route, parentRef } of placed.get(key) ?? []) {
      const rules = converted.get(route) ?? convertRules(route, observed);
      converted.set(route, rules);
      const verdicts = routes.get(keyOf(route)) ?? [];
      routes.set(keyOf(route), [...verdicts, placeRoute(route, parentRef, draft, { rules, claims })]);
    }
  }
  const drafts = [...ours.values()];
  return {
    table: {
      gateways: drafts.map((draft) => draft.routes()),
      secure: {
        gateways: drafts.map((draft) => draft.secureRoutes()),
        certificates: drafts.flatMap((draft) => draft.certificates()),
      },
    },
    gateways: new Map([...ours].map(([key, draft]) => [key, draft.verdict()])),
    routes,
  };
}

interface Placement {
  readonly route: HttpRoute;
  readonly parentRef: ParentRef;
  /** By `namespace/name`. */
  readonly gateway: string;
}

function findParents(route: HttpRoute, gateways: ReadonlyMap<string, unknown>): readonly Placement[] {
  const namespace = route.metadata?.namespace ?? '';
  return (route.spec?.parentRefs ?? []).flatMap((parentRef) => {
    const gateway = parentKey(parentRef, namespace) ?? '';
    return gateways.has(gateway) ? [{ route, parentRef, gateway }] : [];
  });
}

function convertRules(route: HttpRoute, observed: Observed): readonly ConvertedRule[] {
  const namespace = route.metadata?.namespace ?? '';
  const createdAt = Date.parse(route.metadata?.creationTimestamp ?? '') || 0;
  return (route.spec?.rules ?? []).map((rule, index) =>
    convertRule(rule, { key: `${keyOf(route)}/${index}`, namespace, createdAt }, observed),
  );
}

function placeRoute(
  route: HttpRoute,
  parentRef: ParentRef,
  draft: GatewayDraft,
  { rules, claims }: { readonly rules: readonly ConvertedRule[]; readonly claims: HostnameClaims },
): ParentVerdict {
  const { yes, no } = judge(route.metadata?.generation);
  const say = (accepted: Verdict): ParentVerdict => ({ parentRef, conditions: [accepted, resolved(rules, route)] });
  const attaching = attachRoute(route, parentRef, draft.gateway);
  if (attaching.kind === 'refused') return say(no('Accepted', attaching.reason, attaching.message));
  const usable = rules.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  const lost: string[] = [];
  let isServed = false;
  for (const { listener, hostnames } of attaching.attachments) {
    const owned = hostnames.filter((hostname) => {
      const owner =
        claims.conflictOf(listener) ??
        (hostname === undefined ? undefined : claims.claimRoute(draft.gateway, listener, hostname));
      if (owner !== undefined) lost.push(`${hostname} belongs to the Gateway ${keyOf(owner)}`);
      return owner === undefined;
    });
    isServed ||= owned.length > 0;
    draft.add(listener, owned, usable, keyOf(route));
  }
  const unsupported = rules.find((rule) => rule.unsupported !== undefined)?.unsupported;
  if (unsupported !== undefined) return say(no('Accepted', 'UnsupportedValue', unsupported));
  const told = [...new Set(lost)].join('; ');
  if (!isServed) return say(no('Accepted', 'NoMatchingListenerHostname', told));
  return say(yes('Accepted', told === '' ? 'the router serves this route' : `served in part: ${told}`));
}

function resolved(rules: readonly ConvertedRule[], route: HttpRoute): Verdict {
  const { yes, no } = judge(route.metadata?.generation);
  const [problem] = rules.flatMap(({ refProblems }) => refProblems);
  return problem === undefined
    ? yes('ResolvedRefs', 'every backend was found')
    : no('ResolvedRefs', problem.reason, problem.message);
}

function keyOf({ metadata }: Gateway | HttpRoute): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
