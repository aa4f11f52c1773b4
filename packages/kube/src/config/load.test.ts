import { describe, expect, test } from 'vitest';
import { createCertificateAuthority } from '../certificates/authority.ts';
import { createFakeHost, systemError } from '../testing/fake-host.ts';
import { serviceAccountNamespace } from './in-cluster.ts';
import { loadConnection } from './load.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const ca = createCertificateAuthority();

function pointingAt(server: string, extra = ''): string {
  return `current-context: ${server}
clusters: [{name: ${server}, cluster: {server: 'https://${server}'}}]
users: [{name: ${server}, user: {token: of-${server}}}]
contexts: [{name: ${server}, context: {cluster: ${server}, user: ${server}}}]
${extra}`;
}

const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const podFiles = {
  [`${SERVICE_ACCOUNT}/token`]: 'pod-token',
  [`${SERVICE_ACCOUNT}/ca.crt`]: ca.cert,
  [`${SERVICE_ACCOUNT}/namespace`]: 'ray-system',
};
const homeFiles = { '/home/me/.kube/config': pointingAt('home') };

describe('where the configuration comes from', () => {
  test('--kubeconfig comes first', async () => {
    const env = { ...inPod, KUBECONFIG: '/env' };
    const files = { ...podFiles, ...homeFiles, '/env': pointingAt('env'), '/flag': pointingAt('flag') };
    const host = createFakeHost({ env, files });
    expect((await loadConnection({ kubeconfig: '/flag', host })).server.hostname).toBe('flag');
  });

  test('then KUBECONFIG, even in a pod', async () => {
    const host = createFakeHost({
      env: { ...inPod, KUBECONFIG: '/env' },
      files: { ...podFiles, ...homeFiles, '/env': pointingAt('env') },
    });
    expect((await loadConnection({ host })).server.hostname).toBe('env');
  });

  test('then the service account of the pod', async () => {
    const host = createFakeHost({ env: inPod, files: { ...podFiles, ...homeFiles } });
    const connection = await loadConnection({ host });
    expect(connection.server.href).toBe('https://10.96.0.1/');
    expect(connection.tls).toEqual({ ca: ca.cert, serverName: undefined, rejectUnauthorized: true });
    expect(connection.defaultNamespace).toBe('ray-system');
    expect(connection.credentials()).toEqual({ headers: { authorization: 'Bearer pod-token' } });
  });

  test('then the home folder', async () => {
    const connection = await loadConnection({ host: createFakeHost({ files: homeFiles }) });
    expect(connection.server.hostname).toBe('home');
    expect(connection.origin).toBe('/home/me/.kube/config, context "home"');
  });

  test('a pod without a token falls back to the home folder', async () => {
    const host = createFakeHost({ env: inPod, files: homeFiles });
    expect((await loadConnection({ host })).server.hostname).toBe('home');
  });

  test('a context can be chosen by name', async () => {
    const files = { '/a': pointingAt('a'), '/b': pointingAt('b') };
    const host = createFakeHost({ env: { KUBECONFIG: '/a:/b' }, files });
    expect((await loadConnection({ context: 'b', host })).server.hostname).toBe('b');
    await expect(loadConnection({ context: 'c', host })).rejects.toThrow(
      '/a, /b: context "c" does not exist (contexts: "a", "b")',
    );
  });
});

describe('several files in KUBECONFIG', () => {
  test('the first file that names a section wins it whole', async () => {
    const first = "users: [{name: b, user: {username: x, password: 'y'}}]";
    const host = createFakeHost({ env: { KUBECONFIG: '/a:/b' }, files: { '/a': first, '/b': pointingAt('b') } });
    const connection = await loadConnection({ host });
    expect(connection.server.hostname).toBe('b');
    expect(connection.credentials()).toEqual({ headers: { authorization: `Basic ${btoa('x:y')}` } });
  });

  test('the first current-context wins, and its parts may be in other files', async () => {
    const host = createFakeHost({
      env: { KUBECONFIG: '/a:/b:/c' },
      files: { '/a': 'current-context: c', '/b': pointingAt('b'), '/c': pointingAt('c') },
    });
    expect((await loadConnection({ host })).server.hostname).toBe('c');
  });

  test('missing files and empty entries are passed over', async () => {
    const host = createFakeHost({ env: { KUBECONFIG: ':/gone::/b:' }, files: { '/b': pointingAt('b') } });
    expect((await loadConnection({ host })).server.hostname).toBe('b');
  });

  test('relative paths start at the file that holds them', async () => {
    const user = 'current-context: b\nusers: [{name: b, user: {tokenFile: token}}]';
    const files = { '/x/a': user, '/x/token': 'right', '/y/b': pointingAt('b'), '/y/token': 'wrong' };
    const host = createFakeHost({ env: { KUBECONFIG: '/x/a:/y/b' }, files });
    expect((await loadConnection({ host })).credentials()).toEqual({ headers: { authorization: 'Bearer right' } });
  });
});

describe('what is missing is named', () => {
  test('--kubeconfig that does not exist', async () => {
    const loading = loadConnection({ kubeconfig: '/gone', host: createFakeHost({ files: homeFiles }) });
    await expect(loading).rejects.toThrow('--kubeconfig: the kubeconfig /gone does not exist');
  });

  test('KUBECONFIG without any existing file', async () => {
    const host = createFakeHost({ env: { ...inPod, KUBECONFIG: '/gone:/lost' }, files: { ...podFiles, ...homeFiles } });
    await expect(loadConnection({ host })).rejects.toThrow(
      'KUBECONFIG: none of its files exists (/gone:/lost); correct it, or unset it',
    );
  });

  test('a kubeconfig that may not be read', async () => {
    const host = { ...createFakeHost({}), readFile: () => Promise.reject(systemError('EACCES')) };
    await expect(loadConnection({ host })).rejects.toThrow(
      '$HOME/.kube/config: the kubeconfig /home/me/.kube/config may not be read by this user',
    );
  });

  test('nothing at all', async () => {
    await expect(loadConnection({ host: createFakeHost() })).rejects.toThrow(
      'no API server is configured: give --kubeconfig, set KUBECONFIG, create /home/me/.kube/config, or run inside a cluster',
    );
  });

  test('a pod without a token and without a kubeconfig', async () => {
    await expect(loadConnection({ host: createFakeHost({ env: inPod }) })).rejects.toThrow(
      `service account token: the file ${SERVICE_ACCOUNT}/token does not exist`,
    );
  });
});

describe('in a pod', () => {
  test('an IPv6 address of the API server is bracketed', async () => {
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    const connection = await loadConnection({ host: createFakeHost({ env, files: podFiles }) });
    expect(connection.server.href).toBe('https://[fd00::1]:6443/');
  });

  test('a rotated token is picked up within a minute', async () => {
    const host = createFakeHost({ env: inPod, files: podFiles });
    const connection = await loadConnection({ host });
    host.files.set(`${SERVICE_ACCOUNT}/token`, 'rotated');
    host.advance(60_000);
    expect(await connection.credentials()).toEqual({ headers: { authorization: 'Bearer rotated' } });
  });

  test('without ca.crt the roots of the machine count', async () => {
    const files = { [`${SERVICE_ACCOUNT}/token`]: 't' };
    const connection = await loadConnection({ host: createFakeHost({ env: inPod, files }) });
    expect(connection.tls.ca).toBeUndefined();
  });

  test('HTTPS_PROXY counts here too', async () => {
    const env = { ...inPod, HTTPS_PROXY: 'http://p:1' };
    const files = podFiles;
    expect((await loadConnection({ host: createFakeHost({ env, files }) })).proxy?.host).toBe('p:1');
    const exempt = createFakeHost({ env: { ...env, NO_PROXY: '10.0.0.0/8' }, files });
    expect((await loadConnection({ host: exempt })).proxy).toBeUndefined();
  });

  test('the namespace is known without a connection, and absent outside a cluster', async () => {
    expect(await serviceAccountNamespace(createFakeHost({ files: podFiles }))).toBe('ray-system');
    expect(await serviceAccountNamespace(createFakeHost())).toBeUndefined();
  });
});
