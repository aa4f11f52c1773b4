import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

export interface Asked {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly trailers: NodeJS.Dict<string>;
}

export interface Question {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** Asks over HTTP/1.1 and reads the whole answer; rejects where it breaks off. */
export function ask(
  port: number,
  { method = 'GET', path = '/', headers = {}, body, agent }: Question = {},
): Promise<Asked> {
  const isSized = body !== undefined && headers['transfer-encoding'] === undefined;
  const all = isSized ? { ...headers, 'content-length': Buffer.byteLength(body) } : headers;
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: all, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            body: Buffer.concat(chunks).toString(),
            trailers: response.trailers,
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
