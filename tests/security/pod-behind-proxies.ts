import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { servePortForward } from '../../packages/kubelet/src/backend/port-forward.ts';
import { serveProxy } from '../../packages/kubelet/src/backend/proxy.ts';
import { createEgress } from '../../packages/kubelet/src/network/egress.ts';
import { createAddressPolicy } from '../../packages/kubelet/src/network/refused-address.ts';
import { type ServiceProxy, startServiceProxy } from '../../packages/kubelet/src/network/service-proxy.ts';

/** A pod whose answers a test chooses, byte by byte, and every proxy of the engine that leads to it. */
export interface PodBehindProxies {
  /** Called with each connection that reaches the pod. */
  onConnection: (socket: Socket) => void;
  /** Answers each request with these bytes, then ends the connection. */
  answerWith(bytes: string | Buffer): void;
  /** What the pod received since the last `answerWith`. */
  received(): string;
  /** Connections to the pod that are open now. */
  openConnections(): number;
  readonly podPort: number;
  readonly serviceProxyPort: number;
  readonly egressPort: number;
  readonly engine: TestEngine;
  /** The path of the pod's proxy subresource. */
  readonly proxyPath: string;
  readonly forwardPath: string;
  stop(): Promise<void>;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

export async function startPodBehindProxies(): Promise<PodBehindProxies> {
  const sockets = new Set<Socket>();
  let received = '';
  const parts: { onConnection: (socket: Socket) => void } = { onConnection: (socket) => void socket.end() };
  const pod = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      if (received.length < 10_000) received += bytes.toString('latin1');
    });
    parts.onConnection(socket);
  });
  await once(pod.listen(0, '127.0.0.1'), 'listening');
  const podPort = portOf(pod);
  const dial = async () => {
    const socket = connect({ port: podPort, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const proxy: ServiceProxy = await startServiceProxy({ dial });
  // The pod stands for a host outside, which is on loopback here.
  const policy = createAddressPolicy({ engineRanges: ['2001:db8::/32'], allowed: ['127.0.0.1', '::1'] });
  const egress = createServer({ allowHalfOpen: true }, createEgress({ proxyFor: () => undefined, policy }));
  await once(egress.listen(0, '127.0.0.1'), 'listening');
  const engine = await startTestEngine({
    hasServiceAccounts: false,
    tokens: new Map([['admin', { name: 'admin', uid: '', groups: ['system:masters'] }]]),
    podBackend: {
      handle: (call) =>
        call.subresource === 'proxy'
          ? serveProxy({ connect: dial, ip: '10.244.0.2' }, podPort, call)
          : servePortForward({ connect: dial } as never, call),
    },
  });
  plant(engine);
  return Object.assign(parts, {
    answerWith(bytes: string | Buffer) {
      received = '';
      parts.onConnection = (socket) => socket.once('data', () => socket.end(bytes));
    },
    received: () => received,
    openConnections: () => sockets.size,
    podPort,
    serviceProxyPort: Number(new URL(proxy.url).port),
    egressPort: portOf(egress),
    engine,
    proxyPath: '/api/v1/namespaces/default/pods/p/proxy',
    forwardPath: '/api/v1/namespaces/default/pods/p/portforward',
    async stop() {
      for (const socket of sockets) socket.destroy();
      await proxy.close();
      await engine.stop();
      egress.close();
      pod.close();
    },
  });
}

function plant(engine: TestEngine): void {
  const { store } = engine.api;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'n' } };
  store.create({ resource: '/nodes', namespace: '', name: 'n' }, node as never);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    status: { phase: 'Running', podIP: '10.244.0.2' },
  };
  store.create({ resource: '/pods', namespace: 'default', name: 'p' }, pod as never);
}

/** Only so that a test that waits for nothing fails. */
const PATIENCE_MS = 10_000;

/** Sends bytes to a loopback port and resolves with all that came back, once the other side has closed. */
export async function talk(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let heard = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
  socket.once('end', () => socket.end());
  socket.write(bytes);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  await new Promise((resolve) => socket.once('close', resolve));
  return heard;
}
