import type { RouteTable } from '../proxy/route-table.ts';
import { attachRoute, parentKey } from './attach-route.ts';
import { type ConvertedRule, convertRule } from './convert-rule.ts';
import { GatewayDraft, type GatewayVerdict } from './gateway-draft.ts';
import { CONTROLLER_NAME, type Gateway, type HttpRoute, type ParentRef } from './kinds.ts';
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

export interface ParentVerdict {
  readonly parentRef: ParentRef;
  readonly conditions: readonly Verdict[];
}

/** Decides everything from what there is: pure, so that the same objects always give the same table. */
export function buildRoutes(observed: Observed, className: string): Built {
  const ours = new Map(
    observed.gateways
      .filter((gateway) => isOurs(gateway, observed, className))
      .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      .map((gateway) => [keyOf(gateway), new GatewayDraft(gateway, observed)]),
  );
  const routes = new Map<string, readonly ParentVerdict[]>();
  for (const route of observed.routes) {
    const verdicts = placeRoute(route, ours, observed);
    if (verdicts.length > 0) routes.set(keyOf(route), verdicts);
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
    for (const { listener, hostnames } of attaching.attachments) draft.add(listener, hostnames, usable, keyOf(route));
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

function keyOf({ metadata }: Gateway | HttpRoute): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
