import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { createFakeHost, type FakeHostOptions, systemError } from '../testing/fake-host.ts';
import { systemHost } from './host.ts';
import { loadConnection } from './load.ts';

const V1 = 'client.authentication.k8s.io/v1';
const V1BETA1 = 'client.authentication.k8s.io/v1beta1';
const NOW = Date.UTC(2026, 0, 1);
const ca = createCertificateAuthority();
const alice = ca.issue({ commonName: 'alice' });
const at = (ms: number) => new Date(NOW + ms).toISOString();

function kubeconfig(exec = '', apiVersion = V1): string {
  const mode = apiVersion === V1 && !exec.includes('interactiveMode') ? 'interactiveMode: Never, ' : '';
  return `current-context: main
clusters:
- name: c
  cluster:
    server: https://api.example:6443
    certificate-authority-data: ${btoa(ca.cert)}
    tls-server-name: inner
    proxy-url: http://p:3128
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: manta}
users: [{name: u, user: {exec: {apiVersion: ${apiVersion}, command: get-token, ${mode}${exec}}}}]
contexts: [{name: main, context: {cluster: c, user: u}}]
`;
}

const answer = (status: unknown, apiVersion = V1) => ({
  stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }),
});

async function start(run: FakeHostOptions['run'], text = kubeconfig()) {
  const host = createFakeHost({
    nowMs: NOW,
    env: { HOME: '/home/me', REGION: 'none' },
    files: { '/k/config': text },
    ...(run === undefined ? {} : { run }),
  });
  return { host, connection: await loadConnection({ kubeconfig: '/k/config', host }) };
}

describe('running the plugin', () => {
  test('waits for the first request', async () => {
    const { host, connection } = await start(() => answer({ token: 't1' }));
    expect(host.commands).toHaveLength(0);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t1' } });
    expect(host.commands).toHaveLength(1);
  });

  test('gives it its arguments, our environment, its own on top, and the request', async () => {
    const exec = 'args: [--cluster, x], env: [{name: REGION, value: eu}, {name: EMPTY}]';
    const { host, connection } = await start(() => answer({ token: 't' }), kubeconfig(exec));
    await connection.credentials();
    const [command] = host.commands;
    expect(command).toMatchObject({ file: 'get-token', args: ['--cluster', 'x'], isInteractive: false });
    expect(command?.env).toMatchObject({ HOME: '/home/me', REGION: 'eu', EMPTY: '' });
    expect(JSON.parse(command?.env['KUBERNETES_EXEC_INFO'] ?? '')).toEqual({
      kind: 'ExecCredential',
      apiVersion: V1,
      spec: { interactive: false },
    });
  });

  test('tells it about the cluster when it asks', async () => {
    const { host, connection } = await start(() => answer({ token: 't' }), kubeconfig('provideClusterInfo: true'));
    await connection.credentials();
    expect(JSON.parse(host.commands[0]?.env['KUBERNETES_EXEC_INFO'] ?? '').spec).toEqual({
      interactive: false,
      cluster: {
        server: 'https://api.example:6443',
        'tls-server-name': 'inner',
        'certificate-authority-data': btoa(ca.cert),
        'proxy-url': 'http://p:3128',
        config: { audience: 'manta' },
      },
    });
  });

  test('a relative path with a slash starts at the kubeconfig, a bare name is looked up in PATH', async () => {
    const text = kubeconfig().replace('command: get-token', 'command: ./bin/get-token');
    const { host, connection } = await start(() => answer({ token: 't' }), text);
    await connection.credentials();
    expect(host.commands[0]?.file).toBe('/k/bin/get-token');
  });

  test('v1beta1 may ask on a terminal unless told otherwise', async () => {
    const { host, connection } = await start(() => answer({ token: 't' }, V1BETA1), kubeconfig('', V1BETA1));
    host.isStdinTerminal = true;
    await connection.credentials();
    expect(host.commands[0]).toMatchObject({ isInteractive: true, timeoutMs: undefined });
  });

  test('a certificate may come instead of a token, or with it', async () => {
    const status = { token: 't', clientCertificateData: alice.cert, clientKeyData: alice.key };
    const { connection } = await start(() => answer(status));
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t' }, ...alice });
  });

  test('impersonation goes along', async () => {
    const { connection } = await start(
      () => answer({ token: 't' }),
      kubeconfig().replace('user: {exec', 'user: {as: jane, exec'),
    );
    expect(await connection.credentials()).toEqual({
      headers: { 'impersonate-user': 'jane', authorization: 'Bearer t' },
    });
  });

  test('is not run for a user with a token', async () => {
    const { host, connection } = await start(undefined, kubeconfig().replace('user: {exec', 'user: {token: t, exec'));
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t' } });
    expect(host.commands).toHaveLength(0);
  });
});

describe('keeping the answer', () => {
  test('until it expires', async () => {
    let runs = 0;
    const { host, connection } = await start(() =>
      answer({ token: `t${++runs}`, expirationTimestamp: at(runs * 1000) }),
    );
    const first = await connection.credentials();
    host.advance(999);
    expect(connection.credentials()).toBe(first);
    host.advance(1);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t2' } });
  });

  test('for ever where it has no end, but not past a refusal', async () => {
    let runs = 0;
    const { host, connection } = await start(() => answer({ token: `t${++runs}` }));
    const first = await connection.credentials();
    host.advance(10 * 365 * 86_400_000);
    expect(connection.credentials()).toBe(first);
    connection.invalidateCredentials();
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t2' } });
  });

  test('a late refusal of old credentials does not drop new ones', async () => {
    let runs = 0;
    const { connection } = await start(() => answer({ token: `t${++runs}` }));
    const first = await connection.credentials();
    connection.invalidateCredentials(first);
    const second = await connection.credentials();
    connection.invalidateCredentials(first);
    expect(connection.credentials()).toBe(second);
    expect(runs).toBe(2);
  });

  test('many requests at once cause one run', async () => {
    let runs = 0;
    const { connection } = await start(() => answer({ token: `t${++runs}` }));
    const all = await Promise.all(Array.from({ length: 20 }, async () => connection.credentials()));
    expect(runs).toBe(1);
    expect(new Set(all).size).toBe(1);
  });

  test('a failure is not kept', async () => {
    let runs = 0;
    const { connection } = await start(() => (++runs === 1 ? { exitCode: 1 } : answer({ token: 't' })));
    await expect(connection.credentials()).rejects.toThrow('failed with exit code 1');
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer t' } });
  });
});

/** What the plugin does, and how the sentence ends. */
const FAILURES: Readonly<Record<string, readonly [run: FakeHostOptions['run'], ending: string]>> = {
  'it is not there': [undefined, 'was not found; install it or correct the path'],
  'it may not be executed': [() => Promise.reject(systemError('EACCES')), 'may not be executed; check its permissions'],
  'it fails and says why': [
    () => ({ exitCode: 3, stderrTail: 'warming up\nError: \u001b[31msession expired\u001b[0m\n' }),
    'failed with exit code 3: Error: [31msession expired[0m',
  ],
  'it is killed': [() => ({ exitCode: undefined }), 'was killed by a signal'],
  'it hangs': [() => ({ exitCode: undefined, hasTimedOut: true }), 'did not answer within 120 seconds and was stopped'],
  'it prints nothing': [() => ({ stdout: '\n' }), 'printed nothing'],
  'it prints garbage': [() => ({ stdout: 'Bearer abc' }), "printed something that is not JSON (Unexpected token 'B')"],
  'it prints a list': [() => ({ stdout: '[]' }), 'printed JSON that is not an object'],
  'it prints another kind': [() => ({ stdout: '{"kind":"Pod"}' }), 'printed kind "Pod", not ExecCredential'],
  'it speaks another version': [
    () => answer({ token: 't' }, V1BETA1),
    `is configured for ${V1} but answered in "${V1BETA1}"; make them equal`,
  ],
  'it gives no status': [() => answer(undefined), 'printed an ExecCredential without a status'],
  'it gives an empty status': [() => answer({}), 'printed neither a token nor a certificate with its key'],
  'it gives a certificate without a key': [
    () => answer({ clientCertificateData: alice.cert }),
    'printed clientCertificateData without clientKeyData',
  ],
  'it gives a broken certificate': [
    () => answer({ clientCertificateData: 'x', clientKeyData: 'y' }),
    'printed a clientCertificateData that holds no PEM certificate (-----BEGIN CERTIFICATE-----)',
  ],
  'its token cannot stand in a header': [
    () => answer({ token: 'a\nb' }),
    'printed a token with control characters in it',
  ],
  'its time is no time': [
    () => answer({ token: 't', expirationTimestamp: 'soon' }),
    'printed the expirationTimestamp "soon", which is no RFC 3339 time',
  ],
  'its credential has expired': [
    () => answer({ token: 't', expirationTimestamp: at(-1000) }),
    "printed a credential that expired at 2025-12-31T23:59:59.000Z; log in again, and check this machine's clock",
  ],
};

describe('when the plugin fails, one line says so', () => {
  test.each(Object.entries(FAILURES))('%s', async (_, [run, ending]) => {
    const { connection } = await start(run);
    await expect(async () => connection.credentials()).rejects.toThrow(
      `/k/config: user "u": exec: command "get-token" ${ending}`,
    );
  });

  test('the install hint is shown where the plugin is missing', async () => {
    const { connection } = await start(undefined, kubeconfig('installHint: "Get it from\\nhttps://example.com"'));
    await expect(async () => connection.credentials()).rejects.toThrow('(Get it from https://example.com)');
  });

  test('garbage does not leak a token into the message', async () => {
    const { connection } = await start(() => ({ stdout: 'eyJhbGciOiJSUzI1NiJ9.secret' }));
    await expect(async () => connection.credentials()).rejects.not.toThrow(/eyJ|secret/);
  });

  test('one that must ask needs a terminal', async () => {
    const { connection } = await start(() => answer({ token: 't' }), kubeconfig('interactiveMode: Always'));
    await expect(async () => connection.credentials()).rejects.toThrow(
      'interactiveMode is Always, but standard input is not a terminal; log in by hand first',
    );
  });
});

/** A killed process that nobody has reaped yet counts as gone. */
function isRunning(pid: number): boolean {
  const status = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return status !== '' && !status.startsWith('Z');
}

describe('a real program', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  async function withScript(script: string) {
    const folder = await mkdtemp(join(tmpdir(), 'exec-plugin-'));
    folders.push(folder);
    await writeFile(join(folder, 'plugin.sh'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const config = join(folder, 'config');
    await writeFile(config, kubeconfig().replace('command: get-token', 'command: ./plugin.sh'));
    return loadConnection({ kubeconfig: config, host: systemHost() });
  }

  test('is run with the request in its environment', async () => {
    const reply = `{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"%s"}}`;
    const connection = await withScript(`printf '${reply}' "$(printf %s "$KUBERNETES_EXEC_INFO" | wc -c | tr -d ' ')"`);
    const { headers } = await connection.credentials();
    expect(headers['authorization']).toMatch(/^Bearer \d{2,3}$/);
  });

  test('that fails is quoted', async () => {
    const connection = await withScript('echo "no session" >&2; exit 4');
    await expect(connection.credentials()).rejects.toThrow(/plugin\.sh" failed with exit code 4: no session$/);
  });

  test('that hangs is stopped with its children', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'exec-plugin-'));
    folders.push(folder);
    const result = await systemHost().run({
      file: '/bin/sh',
      args: ['-c', `sleep 60 & echo $! > ${folder}/pid; sleep 60`],
      env: process.env,
      isInteractive: false,
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ exitCode: undefined, hasTimedOut: true });
    const grandchild = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(isRunning(grandchild)).toBe(false));
  });
});
