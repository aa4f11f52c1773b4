import { type KubeClient, resources, type Transport, TransportError } from '@manta/kube';
import { bodyOf } from '../http/body.ts';
import { NOT_CACHED, SECURITY_HEADERS } from '../http/security-headers.ts';
import { applyTemplates, TemplateFailed, templatedNamespace } from './compute-templates.ts';
import { type Caller, proxiedService, refuseRoute } from './allowed-routes.ts';

/** Headers of a request that the API server needs. Cookies and everything else that the browser adds stay here. */
const REQUEST_HEADERS: readonly string[] = ['accept', 'content-type'];
const RESPONSE_HEADERS: readonly string[] = ['content-type', 'retry-after', 'warning', 'audit-id'];
const MAX_BODY_BYTES = 3 * 1024 * 1024;

export interface PassOptions {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly caller: Caller;
  /** Whether `computeTemplate` is filled in. */
  readonly hasComputeTemplates: boolean;
  readonly signal: AbortSignal;
  /**
   * Called when the API server has answered, with whether it accepted the credentials. A 401 of a Service behind the proxy is the Service's.
   * Not called for requests that the console refuses itself.
   */
  readonly onAnswer?: ((isAccepted: boolean) => void) | undefined;
  /** Called when an answer of the API server is over, or the caller no longer listens. */
  readonly onEnd?: (() => void) | undefined;
}

/** Passes a request on with the caller's identity and streams the answer back: watches and logs go on as long as the caller listens. */
export async function passToApiServer(request: Request, options: PassOptions): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const refused = refuseRoute(request.method, pathname, options.caller) ?? (await refuseService(pathname, options));
  if (refused !== undefined) return problem(refused.status, refused.message);
  const sent = await bodyOf(request, MAX_BODY_BYTES);
  if (sent === 'too-large')
    return problem(413, `the body is larger than ${MAX_BODY_BYTES} bytes, the limit of the console`);
  try {
    const filled = await filledIn(request, pathname, sent, options);
    const body = filled ?? sent;
    const headers = pick((name) => request.headers.get(name) ?? undefined, REQUEST_HEADERS);
    const answer = await options.transport.send({
      method: asMethod(request.method),
      path: pathname + withRayEvents(pathname, search),
      headers: filled === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([options.signal, request.signal]),
      // The answer may come from a tenant's Service: read whole before a second attempt, it could fill the memory.
      takesEveryAnswer: true,
    });
    options.onAnswer?.(answer.status !== 401 || proxiedService(pathname) !== undefined);
    if (answer.status < 200 || answer.status > 599) {
      await answer.body[Symbol.asyncIterator]().return?.();
      options.onEnd?.();
      return problem(502, `the answer has status ${answer.status}, which is none`);
    }
    // A log that has not begun is answered with 204, which has no body.
    const hasBody = ![204, 205, 304].includes(answer.status);
    if (!hasBody) options.onEnd?.();
    return new Response(hasBody ? toStream(answer.body, options.onEnd) : null, {
      status: answer.status,
      headers: {
        ...SECURITY_HEADERS,
        ...NOT_CACHED,
        // Whatever a pod writes into its log must never become a page of this origin.
        'content-security-policy': "default-src 'none'; sandbox",
        ...pick((name) => answer.headers[name], RESPONSE_HEADERS),
      },
    });
  } catch (error) {
    if (error instanceof TemplateFailed) return problem(error.status, error.message);
    if (error instanceof TransportError) return problem(502, `the API server did not answer: ${error.message}`);
    throw error;
  }
}

async function filledIn(
  { method, headers }: Request,
  path: string,
  body: Uint8Array | undefined,
  { client, hasComputeTemplates }: PassOptions,
): Promise<Uint8Array | undefined> {
  const namespace = hasComputeTemplates ? templatedNamespace(method, path) : undefined;
  if (namespace === undefined || body === undefined) return undefined;
  return await applyTemplates(body, headers.get('content-type') ?? '', namespace, client);
}

export function problem(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: { ...SECURITY_HEADERS, ...NOT_CACHED } });
}

/** Only Services of Ray clusters are proxied, like in KubeRay's API server. */
async function refuseService(
  path: string,
  { client, signal }: PassOptions,
): Promise<{ readonly status: number; readonly message: string } | undefined> {
  const target = proxiedService(path);
  if (target === undefined) return undefined;
  if (target === 'malformed')
    return { status: 400, message: 'a Service is named as name, name:port or scheme:name:port' };
  const found = await client.list(resources.services, {
    namespace: target.namespace,
    fieldSelector: `metadata.name=${target.service}`,
    labelSelector: 'app.kubernetes.io/name=kuberay',
    signal,
  });
  if (found.items.length > 0) return undefined;
  return {
    status: 404,
    message: `Service ${target.namespace}/${target.service} does not exist or is not a Service of a Ray cluster`,
  };
}

/** Events are those of Ray objects, like in KubeRay's API server. */
function withRayEvents(path: string, search: string): string {
  if (!/\/apis\/events\.k8s\.io\//.test(path)) return search;
  const params = new URLSearchParams(search);
  const own = params.get('fieldSelector');
  params.set('fieldSelector', [...(own === null ? [] : [own]), 'regarding.apiVersion=ray.io/v1'].join(','));
  return `?${params.toString()}`;
}

function toStream(body: AsyncIterable<Uint8Array>, onEnd: (() => void) | undefined): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  let isOver = false;
  // A caller may leave while the next piece is awaited: both see the end.
  const end = () => {
    if (!isOver) onEnd?.();
    isOver = true;
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next();
        if (done !== true) {
          controller.enqueue(value);
          return;
        }
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel() {
      await iterator.return?.();
      end();
    },
  });
}

function pick(read: (name: string) => string | undefined, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function asMethod(method: string): 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' {
  switch (method) {
    case 'POST':
    case 'PUT':
    case 'PATCH':
    case 'DELETE':
      return method;
    default:
      return 'GET';
  }
}
