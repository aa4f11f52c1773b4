import type { Namespace } from '@manta/api';
import { deepEqual } from '@manta/apiserver';
import { type Cluster, nameOf, readOne, type Stored } from '../framework/cluster.ts';
import type { Controller } from '../framework/controller.ts';
import { configMaps, namespaces, serviceAccounts } from '../framework/kinds.ts';

const ACCOUNT = 'default';
const ROOT_CA = 'kube-root-ca.crt';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** Creates the `default` ServiceAccount and the ConfigMap with the API server's CA in every namespace. */
export function namespaceDefaults(cluster: Cluster, options: { readonly rootCa: string }): Controller {
  return {
    name: 'namespace-defaults',
    watches: [nameOf(namespaces), nameOf(serviceAccounts), nameOf(configMaps)],
    keysOf: ({ key }) => {
      if (key.resource === nameOf(namespaces)) return [key.name];
      return key.name === ACCOUNT || key.name === ROOT_CA ? [key.namespace] : [];
    },
    reconcile: async (name) => {
      const namespace = readOne(cluster.store, namespaces, '', name);
      if (namespace === undefined || isEnding(namespace)) return undefined;
      await provideAccount(cluster, name);
      await provideRootCa(cluster, name, options.rootCa);
      return undefined;
    },
  };
}

function isEnding({ metadata, status }: Stored<Namespace>): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating';
}

async function provideAccount({ store, writes }: Cluster, namespace: string): Promise<void> {
  if (readOne(store, serviceAccounts, namespace, ACCOUNT) !== undefined) return;
  await writes.create(serviceAccounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ACCOUNT, namespace },
  });
}

async function provideRootCa({ store, writes }: Cluster, namespace: string, rootCa: string): Promise<void> {
  const data = { 'ca.crt': rootCa };
  const current = readOne(store, configMaps, namespace, ROOT_CA);
  if (current === undefined) {
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    await writes.create(configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: ROOT_CA, namespace, annotations },
      data,
    });
  } else if (!deepEqual(current.data, data)) {
    await writes.update(configMaps, { ...current, data });
  }
}
