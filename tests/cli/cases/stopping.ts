import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CliStage } from '../cli-stage.ts';

/** Ctrl-C, servers that never answer, hostile files. */
export function stoppingCases(on: () => CliStage): void {
  /** A server that accepts connections and says nothing. */
  const silentServer = async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    return { server, url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` };
  };

  describe('a server that never answers', () => {
    it('is given up after --request-timeout', async () => {
      const { url } = await silentServer();
      const { code, stderr } = await on().ray(`get cluster --server ${url} --request-timeout 300ms`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/0\.3 s/) });
    });

    it('is left on Ctrl-C', async () => {
      const { server, url } = await silentServer();
      const stop = new AbortController();
      server.once('connection', () => stop.abort());
      const running = on().ray(`get cluster --server ${url} --request-timeout 0`, { signal: stop.signal });
      expect(await running).toMatchObject({ code: 1, stderr: '' });
    });
  });

  describe('hostile input', () => {
    it('rejects a configuration file whose aliases grow without bounds', async () => {
      const path = join(on().folder, 'bomb.yaml');
      const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n},`.repeat(9)}]`);
      writeFileSync(path, ['l0: &l0 [x]', ...levels].join('\n'));
      const { code, stderr } = await on().ray(`create cluster x --dry-run --file ${path}`);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^Error: .*alias.*\n$/i) });
    });
  });

  describe('Ctrl-C', () => {
    it('answers the question of `delete` with no', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const stop = new AbortController();
      const options = {
        input: new PassThrough(),
        signal: stop.signal,
        onOutput: () => void setImmediate(() => stop.abort()),
      };
      expect(await on().ray(`delete ${name}`, options)).toMatchObject({ code: 1, stderr: '' });
      expect((await on().cluster(name)).metadata?.name).toBe(name);
    });
  });
}
