import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RAY_LIMITS } from '@manta/base';
import { type KubeClient, resources } from '@manta/kube';
import { WebSocketServer } from 'ws';
import type { ConsoleFixture } from './console-fixture.ts';
import { createRunningPod } from './scripted-pods.ts';

export interface HeadRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

export interface ScriptedHead {
  readonly requests: HeadRequest[];
  readonly port: number;
  close(): Promise<void>;
}

/** Stands for Ray's dashboard: keeps every request, answers a page, and streams the log of any job. */
export async function startScriptedHead(name: string): Promise<ScriptedHead> {
  const requests: HeadRequest[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, bytes });
      const headers = { 'content-type': 'text/html', 'set-cookie': 'from=ray', 'access-control-allow-origin': '*' };
      if (request.url === '/timezone') response.writeHead(302, { location: 'https://evil.example/' });
      else response.writeHead(200, headers);
      response.end(`<title>${name}</title>`);
    });
  });
  const sockets = new WebSocketServer({ server, perMessageDeflate: true });
  sockets.on('connection', (socket, request) => {
    requests.push({ method: 'UPGRADE', url: request.url ?? '', headers: request.headers, bytes: 0 });
    if (request.url?.includes('flood') === true) {
      socket.send('x'.repeat(RAY_LIMITS.logMessageBytes + 1));
      return;
    }
    socket.send(`line 1 of ${name}\nline 2\n`);
    // A job named `forever` has no end.
    if (request.url?.includes('forever') !== true) socket.close(1000);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    requests,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      sockets.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  };
}

/** A RayCluster whose head pod leads to a scripted head. */
export async function createCluster(
  { engine: { client }, pods }: Pick<ConsoleFixture, 'engine' | 'pods'>,
  name: string,
  { port }: Pick<ScriptedHead, 'port'>,
  token?: string,
): Promise<void> {
  const labels = { 'ray.io/cluster': name, 'ray.io/node-type': 'head' };
  const { metadata } = await client.create(resources.rayClusters, {
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name, namespace: 'default' },
    spec: {
      ...(token === undefined ? {} : { authOptions: { mode: 'token' } }),
      headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.53.0' }] } } },
    },
  } as never);
  if (token !== undefined)
    await client.create(resources.secrets, {
      metadata: { name, namespace: 'default' },
      data: { auth_token: Buffer.from(token).toString('base64') },
    });
  const owner = { apiVersion: 'ray.io/v1', kind: 'RayCluster', name, uid: metadata?.uid ?? '', controller: true };
  const env =
    token === undefined ? [] : [{ name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name, key: 'auth_token' } } }];
  await createRunningPod(client, `${name}-head`, { labels, owner, env });
  pods.ports.set(`${name}-head:8265`, port);
}

/** Lets a user read RayClusters of the namespace `default`, and more verbs if given. */
export async function letSeeClusters(client: KubeClient, user: string, verbs: readonly string[] = []): Promise<void> {
  const name = `see-clusters-${user}`;
  const rules = [
    { apiGroups: ['ray.io'], resources: ['rayclusters', 'rayservices', 'rayjobs'], verbs: ['get', ...verbs] },
    { apiGroups: [''], resources: ['pods/portforward'], verbs: ['create', 'get'] },
  ];
  await client.create(resources.roles, { metadata: { name, namespace: 'default' }, rules });
  await client.create(resources.roleBindings, {
    metadata: { name, namespace: 'default' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
  });
}
