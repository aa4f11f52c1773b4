import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Env, loadConnection, systemClock, systemHost } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCertificateAuthority } from '../../packages/kube/src/certificates/authority.ts';
import { createTransport } from '../../packages/kube/src/transport/create-transport.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const plane = sharedControlPlane();
const folder = mkdtempSync(join(tmpdir(), 'manta-kubeconfig-'));
const closers: (() => unknown)[] = [];
let namespace = '';

beforeAll(async () => {
  namespace = (await createTestNamespace(plane)).name;
});
afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true });
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Writes a kubeconfig for the plane and gives its path; the parts are further fields. */
function kubeconfig(user: object, cluster: object = {}): string {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.json`);
  const trust = { server: plane.url, 'certificate-authority-data': base64(plane.ca.cert) };
  const content = {
    kind: 'Config',
    'current-context': 'plane',
    clusters: [{ name: 'plane', cluster: { ...trust, ...cluster } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'plane', context: { cluster: 'plane', user: 'user' } }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly status?: { readonly userInfo?: UserInfo }; readonly message?: string };
}

interface UserInfo {
  readonly username: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A function that asks the API server, over one transport, who we are. */
async function open(path: string, env: Env = {}, clock = systemClock): Promise<() => Promise<Answer>> {
  const host = { ...systemHost(), env: { ...env, PATH: process.env['PATH'] }, clock };
  const connection = await loadConnection({ kubeconfig: path, host });
  const transport = createTransport({ connection, clock: systemClock });
  closers.push(() => transport.close());
  return async () => {
    const response = await transport.send({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      timeoutMs: 5_000,
    });
    const chunks = await Array.fromAsync(response.body);
    return { status: response.status, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Answer['body'] };
  };
}

async function whoAmI(path: string, env?: Env): Promise<UserInfo | undefined> {
  const ask = await open(path, env);
  return (await ask()).body.status?.userInfo;
}

async function serviceAccountToken(name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await plane.request('POST', path, { metadata: { name } });
  const answer = await plane.request('POST', `${path}/${name}/token`, { spec: {} });
  return (answer.body as { status: { token: string } }).status.token;
}

const account = (name: string) => `system:serviceaccount:${namespace}:${name}`;

/** Replaces the certificate and the key that the kubeconfig names. */
function put({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(join(folder, 'user.crt'), cert);
  writeFileSync(join(folder, 'user.key'), key);
}

describe('who we are', () => {
  test('the user of a certificate, inline', async () => {
    const { cert, key } = plane.user({ name: 'inline', groups: ['team'] });
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
    expect(await whoAmI(kubeconfig(user))).toMatchObject({
      username: 'inline',
      groups: ['team', 'system:authenticated'],
    });
  });

  test('the user of a certificate in files, also after it was replaced', async () => {
    const [first, second] = [plane.user({ name: 'first' }), plane.user({ name: 'second' })];
    put(first);
    const path = kubeconfig({ 'client-certificate': 'user.crt', 'client-key': 'user.key' });
    let now = Date.now();
    const ask = await open(path, {}, { ...systemClock, now: () => now });
    const name = async () => (await ask()).body.status?.userInfo?.username;
    expect(await name()).toBe('first');
    put(second);
    expect(await name()).toBe('first');
    now += 60_000;
    expect(await name()).toBe('second');
  });

  test('the owner of a token', async () => {
    expect((await whoAmI(kubeconfig({ token: await serviceAccountToken('inline') })))?.username).toBe(
      account('inline'),
    );
  });

  test('nobody, without credentials', async () => {
    const { status, body } = await (await open(kubeconfig({})))();
    expect(status).toBe(403);
    expect(body.message).toContain('User "system:anonymous"');
  });

  test('somebody else, where RBAC lets us act as them', async () => {
    const { cert, key } = plane.admin;
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
    const as = { as: 'jürgen 🚀', 'as-groups': ['a', 'b'], 'as-user-extra': { 'example.com/scope': ['x', 'y'] } };
    const who = await whoAmI(kubeconfig({ ...user, ...as }));
    expect(who).toMatchObject({ username: 'jürgen 🚀', extra: { 'example.com/scope': ['x', 'y'] } });
    expect(who?.groups).toEqual(expect.arrayContaining(['a', 'b']));
  });

  test('acting as somebody else without the right to is told so', async () => {
    const { cert, key } = plane.user({ name: 'plain' });
    const user = { 'client-certificate-data': base64(cert), 'client-key-data': base64(key), as: 'jane' };
    const { status, body } = await (await open(kubeconfig(user)))();
    expect(status).toBe(403);
    expect(body.message).toMatch(/User "plain" cannot impersonate/);
  });
});

/** A script that prints what `status` holds and counts its runs. */
function plugin(name: string, status: () => object): { user: object; runs: () => number; print: () => void } {
  const [script, output, log] = ['sh', 'json', 'log'].map((end) => join(folder, `${name}.${end}`)) as [
    string,
    string,
    string,
  ];
  const print = () =>
    writeFileSync(
      output,
      JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: status() }),
    );
  print();
  writeFileSync(log, '');
  writeFileSync(script, `#!/bin/sh\necho run >> ${log}\ncat ${output}\n`, { mode: 0o755 });
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: script, interactiveMode: 'Never' };
  return { user: { exec }, print, runs: () => readFileSync(log, 'utf8').split('\n').length - 1 };
}

describe('an exec plugin', () => {
  test('gives a certificate', async () => {
    const { cert, key } = plane.user({ name: 'from-plugin' });
    const { user } = plugin('cert', () => ({ clientCertificateData: cert, clientKeyData: key }));
    expect((await whoAmI(kubeconfig(user)))?.username).toBe('from-plugin');
  });

  test('that fails is the error of the request, in one line', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './missing', interactiveMode: 'Never' };
    const asking = whoAmI(kubeconfig({ exec: { ...exec, installHint: 'see the wiki' } }));
    await expect(asking).rejects.toThrow(
      /user "user": exec: command ".*\/missing" was not found; .* \(see the wiki\)$/,
    );
  });
});

/** At the same time: the API server remembers a good token for ten seconds. */
describe.concurrent('a token that is revoked', () => {
  test('is replaced by what the token file holds then', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, `${await serviceAccountToken('before')}\n`);
    const ask = await open(kubeconfig({ tokenFile: 'token' }));
    expect((await ask()).body.status?.userInfo?.username).toBe(account('before'));
    writeFileSync(file, `${await serviceAccountToken('after')}\n`);
    await plane.request('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/before`);
    await vi.waitFor(async () => expect((await ask()).body.status?.userInfo?.username).toBe(account('after')), {
      timeout: 30_000,
      interval: 250,
    });
  });

  test('is replaced by another run of the exec plugin, which ran once until then', async () => {
    let token = await serviceAccountToken('exec-one');
    const { user, runs, print } = plugin('token', () => ({ token }));
    const ask = await open(kubeconfig(user));
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
    expect(new Set(answers.map(({ body }) => body.status?.userInfo?.username))).toEqual(new Set([account('exec-one')]));
    expect(runs()).toBe(1);
    token = await serviceAccountToken('exec-two');
    print();
    await plane.request('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/exec-one`);
    await vi.waitFor(async () => expect((await ask()).body.status?.userInfo?.username).toBe(account('exec-two')), {
      timeout: 30_000,
      interval: 250,
    });
    expect(runs()).toBe(2);
  });
});

const certified = () => {
  const { cert, key } = plane.user({ name: 'certified' });
  return { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) };
};

describe('trust', () => {
  test('a wrong CA is named as the reason', async () => {
    const cluster = { 'certificate-authority-data': base64(createCertificateAuthority('stranger').cert) };
    await expect(whoAmI(kubeconfig(certified(), cluster))).rejects.toThrow(
      /is not signed by the certificate authority we were given .* set the right certificate-authority in the kubeconfig/,
    );
  });

  test('a CA file will do', async () => {
    writeFileSync(join(folder, 'ca.crt'), plane.ca.cert);
    const cluster = { 'certificate-authority-data': '', 'certificate-authority': 'ca.crt' };
    expect((await whoAmI(kubeconfig(certified(), cluster)))?.username).toBe('certified');
  });

  test('verification can be switched off', async () => {
    const cluster = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    expect((await whoAmI(kubeconfig(certified(), cluster)))?.username).toBe('certified');
  });

  test('tls-server-name decides which name the certificate must carry', async () => {
    expect((await whoAmI(kubeconfig(certified(), { 'tls-server-name': 'kubernetes.default.svc' })))?.username).toBe(
      'certified',
    );
    await expect(whoAmI(kubeconfig(certified(), { 'tls-server-name': 'elsewhere.example' }))).rejects.toThrow(
      'is not made for the name',
    );
  });
});

/** A CONNECT proxy that takes every name for this machine. */
async function startProxy(refusal?: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = createServer().on('connect', (request, client: Duplex) => {
    asked.push(request.url ?? '');
    sockets.add(client);
    client.on('error', () => undefined);
    if (refusal !== undefined) {
      client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    }).on('error', () => client.destroy());
    sockets.add(upstream);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

describe('a proxy', () => {
  const port = new URL(plane.url).port;
  const inside = { server: `https://kubernetes.default.svc:${port}` };

  test('of the kubeconfig is used, even to this machine', async () => {
    const proxy = await startProxy();
    expect((await whoAmI(kubeconfig(certified(), { 'proxy-url': proxy.url })))?.username).toBe('certified');
    expect(proxy.asked).toEqual([new URL(plane.url).host]);
  });

  test('of the environment is used, and resolves the name', async () => {
    const proxy = await startProxy();
    expect((await whoAmI(kubeconfig(certified(), inside), { HTTPS_PROXY: proxy.url }))?.username).toBe('certified');
    expect(proxy.asked).toEqual([`kubernetes.default.svc:${port}`]);
  });

  test('of the environment is passed by for what NO_PROXY lists', async () => {
    const proxy = await startProxy();
    const env = { https_proxy: proxy.url, no_proxy: '.svc' };
    await expect(whoAmI(kubeconfig(certified(), inside), env)).rejects.toThrow('kubernetes.default.svc');
    expect(proxy.asked).toEqual([]);
  });

  test('that refuses is named, with what to do', async () => {
    const proxy = await startProxy('403 Forbidden');
    await expect(whoAmI(kubeconfig(certified(), { 'proxy-url': proxy.url }))).rejects.toThrow(
      `the proxy ${proxy.url} refused to connect to ${new URL(plane.url).host}: 403 Forbidden; allow the address there, or list it in NO_PROXY`,
    );
  });

  test('that is not there is named', async () => {
    await expect(whoAmI(kubeconfig(certified(), { 'proxy-url': 'http://127.0.0.1:1' }))).rejects.toThrow(
      'the proxy http://127.0.0.1:1 cannot be reached (connect ECONNREFUSED 127.0.0.1:1)',
    );
  });
});
