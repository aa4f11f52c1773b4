import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** Pods reach the API server through a Unix socket. */
const folder = mkdtempSync(join(tmpdir(), 'manta-plain-'));
const path = join(folder, 'api');
let engine: TestEngine;
const pods = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  engine.server.accept(socket);
});

beforeAll(async () => {
  engine = await startTestEngine({ hasServiceAccounts: false });
  await once(pods.listen(path), 'listening');
});
afterAll(async () => {
  await engine.stop();
  pods.close();
  rmSync(folder, { recursive: true });
});

it('plain HTTP of one pod does not break the connection of another pod to the API server', async () => {
  const attacker = connect(path).on('error', () => undefined);
  await once(attacker, 'connect');
  const victim = connectTls({ path, rejectUnauthorized: false });
  const problems: Error[] = [];
  victim.on('error', (error) => problems.push(error));
  await once(victim, 'secureConnect');
  attacker.resume().write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(attacker, 'close');
  victim.write('GET /version HTTP/1.1\r\nhost: x\r\n\r\n');
  const [answer] = await Promise.race([once(victim, 'data'), once(victim, 'close')]);
  expect(problems).toEqual([]);
  expect(String(answer)).toContain('HTTP/1.1 200 OK');
  victim.destroy();
});
