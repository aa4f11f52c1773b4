/** Who may use a route: `page` is a browser with a session, `client` a program with a bearer token of its own. */
export type Caller = 'page' | 'client';

interface Route {
  readonly path: RegExp;
  readonly methods: readonly string[];
  readonly callers: readonly Caller[];
}

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BOTH: readonly Caller[] = ['page', 'client'];
const SEGMENT = '[^/]+';
const NAMESPACE = `/api/v1/namespaces/${SEGMENT}`;

/** What the console passes to the API server, always with the caller's own identity. Every other path is answered with 404. */
const ROUTES: readonly Route[] = [
  // Not the old form of watches, /apis/ray.io/v1/watch/…: the right to a watch is checked again as long as it lasts.
  { path: /^\/apis\/ray\.io\/v1(\/(?!watch\/).*)?$/, methods: ALL, callers: BOTH },
  { path: new RegExp(`^/apis/events\\.k8s\\.io/v1/namespaces/${SEGMENT}/events$`), methods: ['GET'], callers: BOTH },
  { path: new RegExp(`^${NAMESPACE}/pods(/${SEGMENT}(/log)?)?$`), methods: ['GET'], callers: BOTH },
  { path: new RegExp(`^${NAMESPACE}/pods/${SEGMENT}$`), methods: ['DELETE'], callers: BOTH },
  { path: new RegExp(`^${NAMESPACE}/pods/${SEGMENT}/eviction$`), methods: ['POST'], callers: BOTH },
  { path: new RegExp(`^${NAMESPACE}/configmaps(/${SEGMENT})?$`), methods: ALL, callers: BOTH },
  // Packages of RayJobs that the page creates. Secrets are never read through the console.
  { path: new RegExp(`^${NAMESPACE}/secrets$`), methods: ['POST'], callers: BOTH },
  { path: /^\/apis\/authorization\.k8s\.io\/v1\/selfsubjectaccessreviews$/, methods: ['POST'], callers: BOTH },
  { path: /^\/version$/, methods: ['GET'], callers: BOTH },
  { path: /^\/openapi\/v3(\/apis\/ray\.io\/v1)?$/, methods: ['GET'], callers: BOTH },
  // What a Service answers is chosen by tenants: under the console's origin a browser would run it as the console.
  { path: new RegExp(`^${NAMESPACE}/services/${SEGMENT}/proxy(/.*)?$`), methods: ALL, callers: ['client'] },
];

/** Why a request is not passed on; undefined: it is. */
export function refuseRoute(
  method: string,
  path: string,
  caller: Caller,
): { readonly status: 403 | 404 | 405; readonly message: string } | undefined {
  // Dots and encoded slashes could mean another path to the API server than they mean here.
  if (/(^|\/)\.{1,2}(\/|$)|%2e|%2f|%5c|\\|\/\//i.test(path))
    return { status: 404, message: `path ${path} is not in its plain form` };
  const routes = ROUTES.filter((route) => route.path.test(path));
  if (routes.length === 0)
    return { status: 404, message: `path ${path} is not served by the console: ask the API server itself` };
  const allowed = routes.filter(({ methods }) => methods.includes(method));
  if (allowed.length === 0) return { status: 405, message: `method ${method} is not allowed for ${path}` };
  if (allowed.some(({ callers }) => callers.includes(caller))) return undefined;
  return { status: 403, message: 'browsers may not use the service proxy: send a bearer token of your own' };
}

/** Namespace and Service of a service-proxy path: `name`, `name:port` or `scheme:name:port`, read as the API server reads it. */
export function proxiedService(
  path: string,
): { readonly namespace: string; readonly service: string } | 'malformed' | undefined {
  const [, namespace, target] =
    new RegExp(`^/api/v1/namespaces/(${SEGMENT})/services/(${SEGMENT})/proxy`).exec(path) ?? [];
  if (namespace === undefined || target === undefined) return undefined;
  const parts = target.split(':');
  const [scheme = '', withScheme = ''] = parts;
  const isKnown = parts.length < 3 || (parts.length === 3 && ['', 'http', 'https'].includes(scheme));
  const service = parts.length === 3 ? withScheme : scheme;
  return isKnown && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(service) ? { namespace, service } : 'malformed';
}
