import { NS_PER_MS, parseDuration } from '@manta/api';
import { compilePattern } from '../proxy/pattern.ts';
import { isFieldValue, isTarget, isToken } from '../proxy/field-text.ts';
import { normalizePath } from '../proxy/request-target.ts';
import type { Filter, HeaderChange, PathChange, RequestMatch, RouteRule, ValueMatch } from '../proxy/route-table.ts';
import { findBackend, type RefProblem } from './find-backend.ts';
import type {
  HeaderModifier,
  HttpRouteFilter,
  HttpRouteMatch,
  HttpRouteRule,
  NamedMatch,
  PathModifier,
} from './kinds.ts';
import type { Observed } from './observed.ts';

/** A rule of an HTTPRoute as the proxy takes it. */
export interface ConvertedRule {
  /** Absent where no match of the rule can be understood: then it fits nothing. */
  readonly rule: RouteRule | undefined;
  readonly refProblems: readonly RefProblem[];
  /** What cannot be done at all; requests for the rule get a 500. */
  readonly unsupported: string | undefined;
}

/** Which route a rule belongs to, and since when there is that route. */
export interface RuleOrigin {
  readonly key: string;
  readonly namespace: string;
  readonly createdAt: number;
}

/** Nothing that cannot be done is left out silently: a rule with such a thing answers with it. */
export function convertRule(given: HttpRouteRule, origin: RuleOrigin, observed: Observed): ConvertedRule {
  const matches = (given.matches ?? []).map(convertMatch);
  const filters = (given.filters ?? []).map(convertFilter);
  const found = (given.backendRefs ?? []).map((ref) => findBackend(ref, origin.namespace, observed));
  const hasBackendFilters = given.backendRefs?.some((ref) => (ref.filters?.length ?? 0) > 0) === true;
  const unsupported =
    matches.find((match) => typeof match === 'string') ??
    filters.find((filter) => typeof filter === 'string') ??
    (hasBackendFilters ? 'filters of a backendRef are not served; put them on the rule' : undefined);
  const usable = filters.filter((filter) => typeof filter !== 'string');
  const timeoutMs = timeoutOf(given);
  const understood = matches.filter((match) => typeof match !== 'string');
  const refProblems = found.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  if (understood.length === 0 && matches.length > 0) return { rule: undefined, unsupported, refProblems };
  const rule: RouteRule = {
    key: origin.key,
    createdAt: origin.createdAt,
    matches: understood,
    filters: unsupported === undefined ? usable : [{ kind: 'refuse', why: unsupported }],
    backends: found.map(({ backend }) => backend),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
  return { rule, unsupported, refProblems };
}

function convertMatch({ path, method, headers = [], queryParams = [] }: HttpRouteMatch): RequestMatch | string {
  const kind = PATH_KINDS[path?.type ?? 'PathPrefix'];
  if (kind === undefined) return `the path match ${path?.type} is not known`;
  const value = path?.value ?? '/';
  const refused = kind === 'regex' ? compilePattern(value) : undefined;
  if (typeof refused === 'string') return `path: ${refused}`;
  const values = [...headers, ...queryParams].map(convertValue);
  const wrong = values.find((converted) => typeof converted === 'string');
  if (wrong !== undefined) return wrong;
  const good = values.filter((converted) => typeof converted !== 'string');
  return {
    path: { kind, value: kind === 'regex' ? value : normalizePath(value) },
    ...(method === undefined ? {} : { method }),
    headers: good.slice(0, headers.length),
    query: good.slice(headers.length),
  };
}

const PATH_KINDS: Readonly<Record<string, NonNullable<RequestMatch['path']>['kind']>> = {
  PathPrefix: 'prefix',
  Exact: 'exact',
  RegularExpression: 'regex',
};

function convertValue({ type = 'Exact', name = '', value = '' }: NamedMatch): ValueMatch | string {
  if (type === 'Exact') return { name, kind: 'exact', value };
  if (type !== 'RegularExpression') return `the match ${type} of ${name} is not known`;
  const refused = compilePattern(value);
  return typeof refused === 'string' ? `${name}: ${refused}` : { name, kind: 'regex', value };
}

function convertFilter(filter: HttpRouteFilter): Filter | string {
  const { type, requestHeaderModifier, responseHeaderModifier, requestRedirect, urlRewrite } = filter;
  const unspeakable = unspeakableOf(filter);
  if (unspeakable !== undefined)
    return `the filter ${type} has ${JSON.stringify(unspeakable)}, which a filter may not say`;
  if (type === 'RequestHeaderModifier')
    return { kind: 'request-headers', change: convertHeaders(requestHeaderModifier) };
  if (type === 'ResponseHeaderModifier')
    return { kind: 'response-headers', change: convertHeaders(responseHeaderModifier) };
  if (type === 'URLRewrite')
    return { kind: 'rewrite', hostname: urlRewrite?.hostname, path: convertPath(urlRewrite?.path) };
  if (type !== 'RequestRedirect') return `the filter ${type} is not served`;
  const { statusCode = 302, scheme, hostname, port, path } = requestRedirect ?? {};
  return { kind: 'redirect', status: statusCode, scheme, hostname, port, path: convertPath(path) };
}

/** Rules must not set headers that frame a message or name its host: a backend could take the rest of a message for the next one. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Invalid header characters would break every request of the rule, or inject a header. */
function unspeakableOf({
  requestHeaderModifier,
  responseHeaderModifier,
  requestRedirect,
  urlRewrite,
}: HttpRouteFilter) {
  const headers = [requestHeaderModifier, responseHeaderModifier].flatMap((change) => [
    ...(change?.set ?? []),
    ...(change?.add ?? []),
  ]);
  const names = [
    ...headers.map(({ name = '' }) => name),
    ...(requestHeaderModifier?.remove ?? []),
    ...(responseHeaderModifier?.remove ?? []),
  ];
  const places = [requestRedirect, urlRewrite].flatMap((change) => [
    change?.hostname,
    change?.path?.replaceFullPath,
    change?.path?.replacePrefixMatch,
  ]);
  return (
    names.find((name) => !isToken(name) || FRAMING.has(name.toLowerCase())) ??
    headers.map(({ value = '' }) => value).find((value) => !isFieldValue(value)) ??
    places.find((text) => text !== undefined && text !== '' && !isTarget(text))
  );
}

function convertHeaders({ set = [], add = [], remove = [] }: HeaderModifier = {}): HeaderChange {
  const pair = ({ name = '', value = '' }: { readonly name?: string; readonly value?: string }) =>
    [name, value] as const;
  return { set: set.map(pair), add: add.map(pair), remove };
}

function convertPath(path: PathModifier | undefined): PathChange | undefined {
  if (path?.replaceFullPath !== undefined) return { kind: 'full', value: path.replaceFullPath };
  return path?.replacePrefixMatch === undefined ? undefined : { kind: 'prefix', value: path.replacePrefixMatch };
}

/** The shorter of the two limits; zero is none. */
function timeoutOf({ timeouts }: HttpRouteRule): number | undefined {
  const limits = [timeouts?.request, timeouts?.backendRequest].flatMap((text) => {
    const parsed = text === undefined ? undefined : parseDuration(text);
    return parsed?.ok === true && parsed.value > 0n ? [Number(parsed.value / NS_PER_MS)] : [];
  });
  return limits.length === 0 ? undefined : Math.min(...limits);
}
