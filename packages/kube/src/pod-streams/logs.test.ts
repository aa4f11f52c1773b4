import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createTransport } from '../transport/create-transport.ts';
import type { Transport } from '../transport/transport.ts';
import { podLogLines, podLogs } from './logs.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<Transport> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const transport = createTransport({
    clock: systemClock,
    connection: {
      server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      tls: { rejectUnauthorized: true },
      credentials: () => ({ headers: {} }),
      invalidateCredentials: () => undefined,
    },
  });
  closers.push(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  return transport;
}

const pod = { namespace: 'ns', pod: 'head' };

describe('the log of a container', () => {
  test('every wish is in the query', async () => {
    let url: string | undefined;
    const transport = await serve((request, response) => {
      url = request.url;
      response.end('x');
    });
    const wishes = { container: 'ray', follow: true, tailLines: 0, timestamps: true, previous: true, limitBytes: 99 };
    await Array.fromAsync(
      podLogs(transport, { ...pod, ...wishes, sinceTime: '2026-01-01T00:00:00Z', sinceSeconds: 5 }),
    );
    expect(url).toBe(
      '/api/v1/namespaces/ns/pods/head/log?container=ray&follow=true&tailLines=0&sinceTime=2026-01-01T00%3A00%3A00Z&timestamps=true&previous=true&limitBytes=99',
    );
    await Array.fromAsync(podLogs(transport, { ...pod, sinceSeconds: 5 }));
    expect(url).toBe('/api/v1/namespaces/ns/pods/head/log?sinceSeconds=5');
  });

  test('comes line by line, a last one without a break too', async () => {
    const transport = await serve((_, response) => response.end('one\ntwo\n\nthree'));
    expect(await Array.fromAsync(podLogLines(transport, pod))).toEqual(['one', 'two', '', 'three']);
  });

  test('lines are whole wherever the bytes are cut', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ü', '漢', '🚀', '\r') });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const transport: Transport = {
          send: async () => ({ status: 200, headers: {}, body: ReadableStream.from(chunks) }),
          close: async () => undefined,
        };
        expect(await Array.fromAsync(podLogLines(transport, pod))).toEqual(lines);
      }),
    );
  });

  test('is followed while it grows, and leaving the loop ends the request', async () => {
    const gone = Promise.withResolvers<void>();
    const transport = await serve((_, response) => {
      let count = 0;
      response.on('close', () => gone.resolve());
      const timer = setInterval(() => response.write(`line ${++count}\n`), 1);
      response.on('close', () => clearInterval(timer));
    });
    const seen: string[] = [];
    for await (const line of podLogLines(transport, { ...pod, follow: true })) {
      seen.push(line);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual(['line 1', 'line 2', 'line 3']);
    await gone.promise;
  });

  test('a refusal is an ApiError with its Status', async () => {
    const message = 'a container name must be specified for pod head, choose one of: [ray autoscaler]';
    const transport = await serve((_, response) =>
      response.writeHead(400).end(JSON.stringify({ kind: 'Status', reason: 'BadRequest', code: 400, message })),
    );
    const reading = Array.fromAsync(podLogs(transport, pod));
    await expect(reading).rejects.toMatchObject({ name: 'ApiError', code: 400, reason: 'BadRequest', message });
  });

  test('a refusal in plain text is understood too', async () => {
    const transport = await serve((_, response) => response.writeHead(404).end(''));
    await expect(Array.fromAsync(podLogs(transport, pod))).rejects.toThrow(
      'GET /api/v1/namespaces/ns/pods/head/log was answered with HTTP 404',
    );
  });
});
