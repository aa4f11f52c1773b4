import { describe, expect, test } from 'vitest';
import { createFakeHost } from '../testing/fake-host.ts';
import { type LoadOptions, loadConnection } from './load.ts';

const KUBECONFIG = `current-context: main
clusters:
  - {name: one, cluster: {server: 'https://one:6443'}}
  - {name: two, cluster: {server: 'https://two:6443'}}
users:
  - {name: ann, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: login, interactiveMode: Never}}}
  - {name: bob, user: {token: of-bob}}
contexts: [{name: main, context: {cluster: one, user: ann, namespace: team}}]
`;

const load = (
  options: LoadOptions,
  files: Readonly<Record<string, string>> = { '/home/me/.kube/config': KUBECONFIG },
) => loadConnection({ ...options, host: createFakeHost({ files }) });

describe('loadConnection() with overrides', () => {
  test('selects another cluster and another user of the kubeconfig', async () => {
    const connection = await load({ overrides: { cluster: 'two', user: 'bob' } });
    expect(connection.server.hostname).toBe('two');
    expect(connection.credentials()).toEqual({ headers: { authorization: 'Bearer of-bob' } });
    expect(connection.defaultNamespace).toBe('team');
  });

  test('uses a token instead of the login of the kubeconfig', async () => {
    const connection = await load({ overrides: { token: 'given', as: 'carol', asGroups: ['dev'] } });
    expect(connection.credentials()).toEqual({
      headers: { authorization: 'Bearer given', 'impersonate-user': 'carol', 'impersonate-group': ['dev'] },
    });
  });

  test('turns verification off where the flag says so', async () => {
    const connection = await load({ overrides: { user: 'bob', insecureSkipTlsVerify: true, tlsServerName: 'inner' } });
    expect(connection.tls).toEqual({ ca: undefined, serverName: 'inner', rejectUnauthorized: false });
  });

  test('needs no kubeconfig when the server is given', async () => {
    const connection = await load({ overrides: { server: 'https://given:6443', token: 't' } }, {});
    expect(connection.server.hostname).toBe('given');
    expect(connection.origin).toBe('command line, context "flags"');
  });

  test('names a cluster that does not exist', async () => {
    await expect(load({ overrides: { cluster: 'three' } })).rejects.toThrow(
      'cluster "three" does not exist (clusters: "one", "two")',
    );
  });
});
