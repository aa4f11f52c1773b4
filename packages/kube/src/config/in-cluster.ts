import { isIP } from 'node:net';
import { type LoadedConnection, openConnection } from './configured-connection.ts';
import type { Host } from './host.ts';
import { proxyFor } from './proxy-for.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Whether the variables of an API server are set as in a pod; also true in a pod without a mounted token. */
export function isInCluster(host: Host): boolean {
  return Boolean(host.env['KUBERNETES_SERVICE_HOST'] && host.env['KUBERNETES_SERVICE_PORT']);
}

/** The namespace of the pod's service account, or undefined outside a cluster. */
export async function serviceAccountNamespace(host: Host): Promise<string | undefined> {
  const text = await host.readFile(`${FOLDER}/namespace`).catch(() => '');
  return text.trim() || undefined;
}

/** The connection of a pod: address from the environment, token and CA from the mounted service account, read again each minute. */
export async function loadInCluster(host: Host): Promise<LoadedConnection> {
  const address = host.env['KUBERNETES_SERVICE_HOST'] ?? '';
  const name = isIP(address) === 6 ? `[${address}]` : address;
  const server = new URL(`https://${name}:${host.env['KUBERNETES_SERVICE_PORT']}`);
  const identity = {
    where: 'service account',
    headers: {},
    files: {
      token: { path: `${FOLDER}/token`, field: 'service account token' },
      ca: { path: `${FOLDER}/ca.crt`, field: 'service account CA', isOptional: true },
    },
  };
  const parts = {
    origin: 'the service account of this pod',
    server,
    isInsecure: false,
    identity,
    proxy: proxyFor(server, host.env),
    defaultNamespace: await serviceAccountNamespace(host),
  };
  return openConnection(parts, host);
}
