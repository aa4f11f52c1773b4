import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MantaUp, startMantaUp } from '../support/manta-up.ts';
import { startOperator } from '../support/operator-process.ts';

/** Makes a program throw in a timer and leave a rejected promise at SIGUSR2: nothing of its own code is on the stack. */
const INJECTION = `process.on('SIGUSR2',()=>{setTimeout(()=>{throw new Error('injected exception')});Promise.reject(new Error('injected rejection'))})`;
const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(INJECTION)}`;
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/ray-operator-leader';

let engine: MantaUp;
let said = '';
let read: (path: string) => Promise<string>;
let close: () => Promise<void>;
const folder = mkdtempSync(join(tmpdir(), 'manta-uncaught-'));

beforeAll(async () => {
  vi.stubEnv('NODE_OPTIONS', NODE_OPTIONS);
  engine = await startMantaUp(join(folder, 'data'), ['--no-operator']);
  vi.unstubAllEnvs();
  engine.process.stderr?.on('data', (text: string) => (said += text));
  const connection = await loadConnection({ kubeconfig: engine.kubeconfig.path });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'test' });
  const client = createKubeClient({ transport, clock: systemClock, host: connection.server.host });
  read = async (path) => JSON.stringify(await client.getPath(path));
  close = () => transport.close();
});
afterAll(async () => {
  await close();
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('an exception that belongs to no connection', () => {
  it('does not end the engine: it is reported and requests are served', async () => {
    engine.process.kill('SIGUSR2');
    await vi.waitFor(() => expect(said).toContain('injected rejection'), { timeout: 20_000 });
    await vi.waitFor(() => expect(said).toContain('injected exception'), { timeout: 20_000 });
    expect(await read('/api/v1/namespaces/default')).toContain('default');
    expect(engine.process.exitCode).toBeNull();
  });

  it('ends the operator in order, after it has released its lease', async () => {
    const args = [`--kubeconfig=${engine.kubeconfig.path}`, '--leader-election-namespace=default'];
    const operator = startOperator({ args: [...args, '--enable-leader-election=true'], env: { NODE_OPTIONS } });
    try {
      const holds = async () => expect(await read(LEASE)).toMatch(/"holderIdentity":"[^"]+"/);
      await vi.waitFor(holds, { timeout: 60_000, interval: 200 });
      expect(await operator.ended('SIGUSR2')).toBe(1);
      expect(operator.log()).toContain('injected');
      expect(operator.log()).toContain('stopped in order after an unexpected error');
      expect(await read(LEASE)).not.toMatch(/"holderIdentity":"[^"]+"/);
    } finally {
      await operator.ended('SIGKILL');
    }
  });
});
