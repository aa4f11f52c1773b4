import { describe, expect, test } from 'vitest';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { createFakeHost } from '../testing/fake-host.ts';
import { ConfigError } from './config-error.ts';
import type { LoadedConnection } from './configured-connection.ts';
import { loadConnection } from './load.ts';

const ca = createCertificateAuthority('cluster');
const otherCa = createCertificateAuthority('other');
const dev = ca.issue({ commonName: 'dev' });
const ops = ca.issue({ commonName: 'ops' });
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig with one context; `cluster` and `user` are YAML flow mappings. */
function kubeconfig(cluster: string, user: string, context = ''): string {
  return `apiVersion: v1
kind: Config
current-context: main
clusters: [{name: c, cluster: {server: 'https://api.example:6443', ${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: main, context: {cluster: c, user: u, ${context}}}]
`;
}

async function load(text: string, files: Readonly<Record<string, string>> = {}): Promise<LoadedConnection> {
  return loadConnection({ kubeconfig: '/k/config', host: createFakeHost({ files: { ...files, '/k/config': text } }) });
}

describe('a cluster', () => {
  test('gives its address, CA, server name and the namespace of the context', async () => {
    const connection = await load(
      kubeconfig(`certificate-authority-data: ${base64(ca.cert)}, tls-server-name: inner`, '', 'namespace: team-a'),
    );
    expect(connection.server.href).toBe('https://api.example:6443/');
    expect(connection.tls).toEqual({ ca: ca.cert, serverName: 'inner', rejectUnauthorized: true });
    expect(connection.defaultNamespace).toBe('team-a');
    expect(connection.origin).toBe('/k/config, context "main"');
    expect('connectSocket' in connection && connection.connectSocket !== undefined).toBe(false);
  });

  test('may have its CA in a file, found from the folder of the kubeconfig', async () => {
    const connection = await load(kubeconfig('certificate-authority: pki/ca.crt', ''), { '/k/pki/ca.crt': ca.cert });
    expect(connection.tls.ca).toBe(ca.cert);
  });

  test('inline CA wins over a file, which need not exist', async () => {
    const both = `certificate-authority-data: ${base64(ca.cert)}, certificate-authority: gone.crt`;
    expect((await load(kubeconfig(both, ''))).tls.ca).toBe(ca.cert);
  });

  test('may go unverified', async () => {
    const connection = await load(kubeconfig('insecure-skip-tls-verify: true', ''));
    expect(connection.tls).toEqual({ ca: undefined, serverName: undefined, rejectUnauthorized: false });
  });

  test('keeps a path prefix and drops a query', async () => {
    const text = kubeconfig('', '').replace('api.example:6443', 'rancher.example/k8s/clusters/c-1?x=1');
    expect((await load(text)).server.href).toBe('https://rancher.example/k8s/clusters/c-1');
  });

  test('its proxy-url wins over the environment, NO_PROXY included', async () => {
    const host = createFakeHost({
      env: { HTTPS_PROXY: 'http://env:1', NO_PROXY: '*' },
      files: { '/k/config': kubeconfig("proxy-url: 'socks5://s:1'", '') },
    });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    expect(connection.proxy?.href).toBe('socks5://s:1');
    expect('connectSocket' in connection).toBe(true);
  });

  test('without proxy-url HTTPS_PROXY counts', async () => {
    const files = { '/k/config': kubeconfig('', '') };
    const host = createFakeHost({ env: { https_proxy: 'http://env:1' }, files });
    expect((await loadConnection({ kubeconfig: '/k/config', host })).proxy?.host).toBe('env:1');
  });

  test('unknown fields and extensions are ignored', async () => {
    const connection = await load(kubeconfig('disable-compression: true, extensions: [{name: x}], new-field: 1', ''));
    expect(connection.server.host).toBe('api.example:6443');
  });
});

describe('a user', () => {
  test('a token goes into the header, and a value comes without a promise', async () => {
    const connection = await load(kubeconfig('', 'token: s3cret'));
    const credentials = connection.credentials();
    expect(credentials).toEqual({ headers: { authorization: 'Bearer s3cret' } });
    expect(connection.credentials()).toBe(credentials);
  });

  test('username and password become basic auth', async () => {
    const connection = await load(kubeconfig('', 'username: jane, password: "p:w"'));
    expect(await connection.credentials()).toEqual({ headers: { authorization: `Basic ${base64('jane:p:w')}` } });
  });

  test('inline certificate and key', async () => {
    const data = `client-certificate-data: ${base64(dev.cert)}, client-key-data: ${base64(dev.key)}`;
    expect(await (await load(kubeconfig('', data))).credentials()).toEqual({ headers: {}, ...dev });
  });

  test('inline certificate data wins over files', async () => {
    const data = `client-certificate-data: ${base64(dev.cert)}, client-key-data: ${base64(dev.key)}`;
    const both = `${data}, client-certificate: gone.crt, client-key: gone.key`;
    expect(await (await load(kubeconfig('', both))).credentials()).toEqual({ headers: {}, ...dev });
  });

  test('a certificate and a token may go together', async () => {
    const data = `token: t, client-certificate-data: ${base64(dev.cert)}, client-key-data: ${base64(dev.key)}`;
    const credentials = await (await load(kubeconfig('', data))).credentials();
    expect(credentials).toEqual({ headers: { authorization: 'Bearer t' }, ...dev });
  });

  test('impersonation repeats the group header and escapes extra keys', async () => {
    const as = "as: jane, as-uid: '42', as-groups: [a, b], as-user-extra: {Example.com/Scope: [x, y], 'ü': [z]}";
    expect(await (await load(kubeconfig('', `token: t, ${as}`))).credentials()).toEqual({
      headers: {
        authorization: 'Bearer t',
        'impersonate-user': 'jane',
        'impersonate-uid': '42',
        'impersonate-group': ['a', 'b'],
        'impersonate-extra-example.com%2Fscope': ['x', 'y'],
        'impersonate-extra-%C3%BC': ['z'],
      },
    });
  });

  test('a context without a user is anonymous', async () => {
    const text = kubeconfig('', '').replace('user: u', 'user: ""');
    expect(await (await load(text)).credentials()).toEqual({ headers: {} });
  });

  test('no credentials are sent over plain HTTP', async () => {
    const text = kubeconfig('', 'token: t, as: jane').replace('https:', 'http:');
    expect(await (await load(text)).credentials()).toEqual({ headers: { 'impersonate-user': 'jane' } });
  });
});

describe('files that change', () => {
  const tokenUser = kubeconfig('', 'tokenFile: token');

  test('a token file is read once a minute, and only then', async () => {
    const host = createFakeHost({ files: { '/k/config': tokenUser, '/k/token': 'one\n' } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    const first = connection.credentials();
    expect(first).toEqual({ headers: { authorization: 'Bearer one' } });
    host.files.set('/k/token', 'two\n');
    host.advance(59_999);
    expect(connection.credentials()).toBe(first);
    host.advance(1);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer two' } });
    expect(host.reads.get('/k/token')).toBe(2);
  });

  test('an unchanged file gives the same credentials object again', async () => {
    const host = createFakeHost({ files: { '/k/config': tokenUser, '/k/token': 'one' } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    const first = connection.credentials();
    host.advance(60_000);
    expect(await connection.credentials()).toBe(first);
  });

  test('after a refusal the file is read at once', async () => {
    const host = createFakeHost({ files: { '/k/config': tokenUser, '/k/token': 'one' } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    host.files.set('/k/token', 'two');
    connection.invalidateCredentials();
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer two' } });
  });

  test('many requests share one reading', async () => {
    const host = createFakeHost({ files: { '/k/config': tokenUser, '/k/token': 'one' } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    host.advance(60_000);
    await Promise.all(Array.from({ length: 20 }, async () => connection.credentials()));
    expect(host.reads.get('/k/token')).toBe(2);
  });

  test('a file that vanishes leaves the last token in use until it is refused', async () => {
    const host = createFakeHost({ files: { '/k/config': tokenUser, '/k/token': 'one' } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    host.files.delete('/k/token');
    host.advance(60_000);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer one' } });
    connection.invalidateCredentials();
    await expect(async () => connection.credentials()).rejects.toThrow(
      '/k/config: user "u": tokenFile: the file /k/token does not exist',
    );
  });

  test('a token file beats an inline token, which stands in while the file is missing', async () => {
    const text = kubeconfig('', 'token: inline, tokenFile: token');
    const host = createFakeHost({ files: { '/k/config': text } });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer inline' } });
    host.files.set('/k/token', 'fresh');
    host.advance(60_000);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer fresh' } });
  });

  test('a rotated certificate is used once its key has followed', async () => {
    const text = kubeconfig('certificate-authority: ca.crt', 'client-certificate: c.crt, client-key: c.key');
    const files = { '/k/config': text, '/k/ca.crt': ca.cert, '/k/c.crt': dev.cert, '/k/c.key': dev.key };
    const host = createFakeHost({ files });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    const first = connection.credentials();
    host.files.set('/k/c.crt', ops.cert);
    host.advance(60_000);
    expect(await connection.credentials()).toBe(first);
    host.files.set('/k/c.key', ops.key);
    host.advance(5_000);
    expect(await connection.credentials()).toEqual({ headers: {}, ...ops });
  });

  test('a rotated CA is trusted from the next connection on, and leaves the credentials alone', async () => {
    const host = createFakeHost({
      files: { '/k/config': kubeconfig('certificate-authority: ca.crt', 'token: t'), '/k/ca.crt': ca.cert },
    });
    const connection = await loadConnection({ kubeconfig: '/k/config', host });
    const first = connection.credentials();
    host.files.set('/k/ca.crt', otherCa.cert);
    host.advance(60_000);
    expect(await connection.credentials()).toBe(first);
    expect(connection.tls.ca).toBe(otherCa.cert);
    host.files.set('/k/ca.crt', 'half-written');
    host.advance(60_000);
    await connection.credentials();
    expect(connection.tls.ca).toBe(otherCa.cert);
  });
});

const pair = `client-certificate-data: ${base64(dev.cert)}, client-key-data: ${base64(dev.key)}`;

/** A kubeconfig and the one line that it earns. */
const MISTAKES: Readonly<Record<string, readonly [text: string, message: string]>> = {
  'YAML that does not parse': [
    'clusters:\n  - name: [a',
    '/k/config:2:13: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  'another kind of file': [
    'kind: Pod',
    '/k/config: kind is "Pod", so this is no kubeconfig; a kubeconfig has kind "Config"',
  ],
  'a list at the top': ['- a', '/k/config: the file must be a mapping of fields, not a list'],
  'an empty file': [
    '',
    '/k/config: current-context is not set; choose one with `kubectl config use-context` (contexts: none)',
  ],
  'no current context': [
    kubeconfig('', '').replace('current-context: main', ''),
    '/k/config: current-context is not set; choose one with `kubectl config use-context` (contexts: "main")',
  ],
  'a context that is not there': [
    kubeconfig('', '').replace('current-context: main', 'current-context: gone'),
    '/k/config: current-context "gone" does not exist (contexts: "main")',
  ],
  'a cluster that is not there': [
    kubeconfig('', '').replace('cluster: c, user', 'cluster: gone, user'),
    '/k/config: context "main": cluster "gone" does not exist (clusters: "c")',
  ],
  'a user that is not there': [
    kubeconfig('', '').replace('user: u,', 'user: gone,'),
    '/k/config: context "main": user "gone" does not exist (users: "u")',
  ],
  'a name used twice': [
    kubeconfig('', '').replace('users: [', 'users: [{name: u}, '),
    '/k/config: users names "u" twice; remove one of the two',
  ],
  'a server that is no address': [
    kubeconfig('', '').replace('https://api', 'tcp://api'),
    '/k/config: cluster "c": server "tcp://api.example:6443" is not an address like https://host:6443',
  ],
  'no server': [
    kubeconfig('', '').replace('https://api.example:6443', ''),
    '/k/config: cluster "c": server is missing; write the address of the API server',
  ],
  'a CA that is not base64': [
    kubeconfig("certificate-authority-data: '!!'", ''),
    '/k/config: cluster "c": certificate-authority-data is not base64; encode the PEM file with `base64 -w0` and put the result here',
  ],
  'a CA that is no certificate': [
    kubeconfig(`certificate-authority-data: ${base64('hello')}`, ''),
    '/k/config: cluster "c": certificate-authority-data holds no PEM certificate (-----BEGIN CERTIFICATE-----)',
  ],
  'a CA file that is missing': [
    kubeconfig('certificate-authority: gone.crt', ''),
    '/k/config: cluster "c": certificate-authority: the file /k/gone.crt does not exist',
  ],
  'a CA together with skipping verification': [
    kubeconfig(`insecure-skip-tls-verify: true, certificate-authority-data: ${base64(ca.cert)}`, ''),
    '/k/config: cluster "c": insecure-skip-tls-verify is true although a certificate-authority is given; remove one',
  ],
  'a proxy of unknown kind': [
    kubeconfig("proxy-url: 'ftp://u:secret@x'", ''),
    '/k/config: cluster "c": proxy-url must start with http://, https:// or socks5:// and name a host',
  ],
  'a token that YAML reads as a number': [
    kubeconfig('', 'token: 12345'),
    '/k/config: user "u": token must be text, not the number 12345; put it in quotes',
  ],
  'a token of two lines': [
    kubeconfig('', 'token: "a\\nb"'),
    '/k/config: user "u": token holds line breaks or control characters',
  ],
  'a token file that is missing': [
    kubeconfig('', 'tokenFile: /run/token'),
    '/k/config: user "u": tokenFile: the file /run/token does not exist',
  ],
  'a token next to a password': [
    kubeconfig('', 'token: t, username: u, password: p'),
    '/k/config: user "u": username and a token are both set; a request can carry one of them: remove the other',
  ],
  'a certificate without its key': [
    kubeconfig('', `client-certificate-data: ${base64(dev.cert)}`),
    '/k/config: user "u": client-key is missing; a client certificate needs its key (client-key or client-key-data)',
  ],
  'a key of another certificate': [
    kubeconfig('', pair.replace(base64(dev.key), base64(ops.key))),
    '/k/config: user "u": client-key-data does not belong to the client certificate',
  ],
  'groups without a user to act as': [
    kubeconfig('', 'as-groups: [a]'),
    '/k/config: user "u": as is missing: as-uid, as-groups and as-user-extra need a user to act as',
  ],
  'a user to act as on two lines': [
    kubeconfig('', 'as: "a\\nb"'),
    '/k/config: user "u": as holds line breaks or control characters',
  ],
  'a legacy auth provider': [
    kubeconfig('', 'auth-provider: {name: gcp}'),
    '/k/config: user "u": auth-provider "gcp" is not supported; install gke-gcloud-auth-plugin and run `gcloud container clusters get-credentials` again',
  ],
  'an exec plugin without a command': [
    kubeconfig('', 'exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}'),
    '/k/config: user "u": exec: command is missing; name the program that prints the credential',
  ],
  'an exec plugin of an old version': [
    kubeconfig('', 'exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}'),
    '/k/config: user "u": exec: apiVersion "client.authentication.k8s.io/v1alpha1" is not supported; use client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, whichever the plugin answers in',
  ],
  'an exec plugin that does not say whether it asks': [
    kubeconfig('', 'exec: {apiVersion: client.authentication.k8s.io/v1, command: x}'),
    '/k/config: user "u": exec: interactiveMode is missing, and v1 asks for it: Never, IfAvailable or Always',
  ],
};

describe('a mistake is one line that says where and what', () => {
  test.each(Object.entries(MISTAKES))('%s', async (_, [text, message]) => {
    const error = await load(text).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toBe(message);
  });

  test('a mistake in a user that is not in use does no harm', async () => {
    const text = kubeconfig('', 'token: t').replace('users: [', "users: [{name: x, user: {client-key-data: '!'}}, ");
    expect(await (await load(text)).credentials()).toEqual({ headers: { authorization: 'Bearer t' } });
  });
});
