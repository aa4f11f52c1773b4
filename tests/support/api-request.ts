import { Agent, request as httpsRequest } from 'node:https';

/** Who asks, and whom. A certificate, a token, or nothing: then the request is anonymous. */
export interface Credentials {
  readonly url: string;
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/** An answer as it came: tests that expect a refusal read the status, not an exception. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; undefined where it isn't. */
  readonly body: unknown;
}

/** Makes requests of one user, over kept-alive connections. */
export interface ApiRequester {
  (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** Closes the kept connections. */
  close(): void;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A plain HTTP/1.1 client for raw calls. It knows nothing of retries or watches: tests use it as a second opinion on our own client. */
export function createRequester(credentials: Credentials): ApiRequester {
  const { url, token, ...tls } = credentials;
  const agent = new Agent({ keepAlive: true, ...tls });
  const call = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
      const all = {
        accept: 'application/json',
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      };
      const request = httpsRequest(new URL(path, url), { method, agent, headers: all }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parseJson(text) }),
        );
      });
      request.on('error', reject);
      request.setTimeout(30_000, () => request.destroy(new Error(`${method} ${path}: no answer within 30 s`)));
      request.end(payload);
    });
  return Object.assign(call, { close: () => agent.destroy() });
}
