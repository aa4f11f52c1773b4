import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { systemHost } from './host.ts';
import { loadConnection } from './load.ts';

/** The official client reads the same files; what both understand (it ignores `tokenFile`), they must understand alike. */

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

const authorities = ['one', 'two'].map((name) => createCertificateAuthority(name));
const users = authorities.map((authority, index) => authority.issue({ commonName: `user-${index}` }));
const base64 = (text: string) => Buffer.from(text).toString('base64');
for (const [index, authority] of authorities.entries()) {
  writeFileSync(join(folder, `ca-${index}.crt`), authority.cert);
  writeFileSync(join(folder, `user-${index}.crt`), users[index]?.cert ?? '');
  writeFileSync(join(folder, `user-${index}.key`), users[index]?.key ?? '');
}

const index = fc.constantFrom(0, 1);
const name = fc.constantFrom('dev', 'prod', 'staging east', 'ünïcode', 'a/b:c@d');
const token = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/).filter((text) => Number.isNaN(Number(text)));

const cluster = fc.record({
  server: fc.constantFrom('https://10.0.0.1:6443', 'https://api.example', 'https://rancher.example/k8s/c-1'),
  trust: fc.oneof(
    fc.constant({}),
    fc.constant({ 'insecure-skip-tls-verify': true }),
    index.map((i) => ({ 'certificate-authority-data': base64(authorities[i]?.cert ?? '') })),
    index.map((i) => ({ 'certificate-authority': `ca-${i}.crt` })),
  ),
});

const user = fc.oneof(
  fc.constant({}),
  token.map((text) => ({ token: text })),
  index.map((i) => ({
    'client-certificate-data': base64(users[i]?.cert ?? ''),
    'client-key-data': base64(users[i]?.key ?? ''),
  })),
  index.map((i) => ({ 'client-certificate': `user-${i}.crt`, 'client-key': `user-${i}.key` })),
  fc.record({ username: token, password: token }),
);

const named = <T>(value: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.record({ name, value }), { selector: (entry) => entry.name, minLength: 1, maxLength: 3 });

const kubeconfig = fc
  .record({ clusters: named(cluster), users: named(user), namespace: fc.option(fc.constantFrom('team-a', 'default')) })
  .chain((parts) =>
    fc.record({
      clusters: fc.constant(parts.clusters),
      users: fc.constant(parts.users),
      namespace: fc.constant(parts.namespace),
      cluster: fc.constantFrom(...parts.clusters.map((entry) => entry.name)),
      user: fc.constantFrom(...parts.users.map((entry) => entry.name)),
    }),
  );

type Generated = typeof kubeconfig extends fc.Arbitrary<infer T> ? T : never;

function write(config: Generated): string {
  const file = join(folder, 'config');
  const { namespace } = config;
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'chosen',
    clusters: config.clusters.map(({ name: n, value }) => ({
      name: n,
      cluster: { server: value.server, ...value.trust },
    })),
    users: config.users.map(({ name: n, value }) => ({ name: n, user: value })),
    contexts: [
      { name: 'other', context: { cluster: 'nowhere', user: 'nobody' } },
      { name: 'chosen', context: { cluster: config.cluster, user: config.user, ...(namespace ? { namespace } : {}) } },
    ],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

interface Understood {
  readonly server: string;
  readonly namespace: string | undefined;
  readonly isVerified: boolean;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly authorization: string | undefined;
}

async function ours(file: string): Promise<Understood> {
  const connection = await loadConnection({ kubeconfig: file, host: { ...systemHost(), env: {} } });
  const { headers, cert, key } = await connection.credentials();
  return {
    server: connection.server.href.replace(/\/$/, ''),
    namespace: connection.defaultNamespace,
    isVerified: connection.tls.rejectUnauthorized,
    ca: connection.tls.ca,
    cert,
    key,
    authorization: headers['authorization'] as string | undefined,
  };
}

const text = (value: Buffer | string | null | undefined) => value?.toString();

async function theirs(file: string): Promise<Understood> {
  const config = new KubeConfig();
  config.loadFromFile(file);
  const options: { ca?: Buffer; cert?: Buffer; key?: Buffer; auth?: string; headers?: Record<string, string> } = {};
  await config.applyToHTTPSOptions(options);
  const basic = options.auth === undefined ? undefined : `Basic ${base64(options.auth)}`;
  return {
    server: config.getCurrentCluster()?.server.replace(/\/$/, '') ?? '',
    namespace: config.getContextObject('chosen')?.namespace,
    isVerified: config.getCurrentCluster()?.skipTLSVerify !== true,
    ca: text(options.ca),
    cert: text(options.cert),
    key: text(options.key),
    authorization: options.headers?.['Authorization'] ?? basic,
  };
}

test('the official client and ours read the same from any kubeconfig', async () => {
  await fc.assert(
    fc.asyncProperty(kubeconfig, async (config) => {
      const file = write(config);
      expect(await ours(file)).toEqual(await theirs(file));
    }),
    { numRuns: 200 },
  );
});
