import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Secret } from '@manta/api';
import { systemClock } from '@manta/kube';
import type { Action, Issue } from '@manta/plan';
import { createHttpSend, createRayClient } from '@manta/ray';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { provideRay } from '../../packages/manta/src/local/provide-ray.ts';
import { issueCertificate } from '../../packages/operator/src/act/issue-certificate.ts';
import { type LocalRayHead, startRayHead } from '../support/ray-head.ts';

const http = createHttpSend();
let folder: string;
let head: LocalRayHead;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mtls-'));
  const authority = issue('authority', undefined);
  const { data = {} } = issue('head', authority);
  for (const [name, content] of Object.entries(data))
    await writeFile(join(folder, name), Buffer.from(content, 'base64'));
  const env = {
    RAY_USE_TLS: '1',
    RAY_TLS_SERVER_CERT: join(folder, 'tls.crt'),
    RAY_TLS_SERVER_KEY: join(folder, 'tls.key'),
    RAY_TLS_CA_CERT: join(folder, 'ca.crt'),
  };
  head = await startRayHead({ venv: await provideRay(), env });
}, 300_000);
afterAll(async () => {
  http.close();
  await head.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** A certificate as the operator makes it, for this machine. */
function issue(whose: Issue['whose'], signer: Secret | undefined): Secret {
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  const ipAddresses = own.filter((address) => /^[\d.]+$/.test(address));
  const request: Issue = {
    whose,
    metadata: { name: whose },
    names: { dnsNames: ['localhost'], ipAddresses },
    commonName: whose,
    notAfter: Date.now() + 3_600_000,
    authority: 'authority',
  };
  return secretIn(issueCertificate(request, {}, signer, Date.now()));
}

function secretIn([action]: readonly Action[]): Secret {
  if (action?.type !== 'create') throw new Error('a new certificate is created');
  return action.objects[0] ?? {};
}

test('Ray runs a job with the certificates that the operator issues', async () => {
  const client = createRayClient({ clock: systemClock, send: http.send, head: { url: head.url } });
  const script = "import ray; ray.init(); print('sum', ray.get(ray.remote(lambda: 40 + 2).remote()))";
  await client.submitJob({ submissionId: 'tls-1', entrypoint: `python -c "${script}"` });
  const status = await vi.waitFor(
    async () => {
      const job = await client.getJob('tls-1');
      expect(job?.status).toMatch(/SUCCEEDED|FAILED/);
      return job?.status;
    },
    { timeout: 90_000, interval: 500 },
  );
  expect(status).toBe('SUCCEEDED');
  expect(await client.getJobLogs('tls-1')).toContain('sum 42');
}, 120_000);
