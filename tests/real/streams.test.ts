import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type Connection,
  execInPod,
  forwardPorts,
  loadConnection,
  openPodPorts,
  podLogLines,
  runInPod,
  systemClock,
  systemHost,
} from '@manta/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createTransport } from '../../packages/kube/src/transport/create-transport.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

/** The real API server in front of a scripted node: what it passes on, and how, is Kubernetes' own doing. */

const plane = sharedControlPlane();
let node: Server;
let namespace = '';
let connection: Connection;
const asked: string[] = [];

const send = (socket: WebSocket, channel: number, payload: string | Uint8Array) =>
  socket.send(Buffer.concat([Uint8Array.of(channel), Buffer.from(payload)]));

/** Port 1 is closed; every other answers in capitals. */
function servePorts(socket: WebSocket, url: URL): void {
  const ports = (url.searchParams.get('port') ?? '').split(',').map(Number);
  for (const [index, port] of ports.entries()) {
    send(socket, index * 2, Uint8Array.of(port & 0xff, port >> 8));
    send(socket, index * 2 + 1, Uint8Array.of(port & 0xff, port >> 8));
    if (port === 1) send(socket, index * 2 + 1, 'connection refused');
  }
  socket.on('message', (data: Buffer) => send(socket, data[0] ?? 0, data.subarray(1).toString().toUpperCase()));
}

async function startNode(): Promise<Server> {
  const server = createServer(plane.ca.issue({ commonName: 'node', ips: ['127.0.0.1'] }), (request, response) => {
    asked.push(request.url ?? '');
    response.end('first line\nsecond line\n');
  });
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered].find((protocol) => protocol === 'v4.channel.k8s.io') ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    asked.push(request.url ?? '');
    const url = new URL(request.url ?? '', 'https://node');
    if (url.pathname.startsWith('/portForward/')) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => servePorts(webSocket, url));
    } else {
      socket.end('HTTP/1.1 500 No\r\nContent-Length: 20\r\n\r\ncontainer is not up\n');
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

beforeAll(async () => {
  namespace = (await createTestNamespace(plane)).name;
  node = await startNode();
  const name = `node-${namespace}`;
  await plane.request('POST', '/api/v1/nodes', { metadata: { name } });
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: (node.address() as AddressInfo).port } },
  };
  await plane.request('PUT', `/api/v1/nodes/${name}/status`, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status,
  });
  const spec = { nodeName: name, containers: [{ name: 'ray', image: 'ray' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'head' }, spec };
  const made = await plane.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod);
  if (made.status !== 201) throw new Error(`the pod could not be made: ${made.text}`);
  connection = await loadConnection({ kubeconfig: plane.adminKubeconfig.path, host: { ...systemHost(), env: {} } });
});
afterAll(() => {
  node.closeAllConnections();
  node.close();
});

const head = () => ({ namespace, pod: 'head' });

describe('port-forward', () => {
  test('reaches two ports over one WebSocket', async () => {
    const [dashboard, gcs] = await openPodPorts(connection, { ...head(), ports: [8265, 6379] });
    gcs?.write('second');
    dashboard?.write('first');
    expect(String((await once(dashboard!, 'data'))[0])).toBe('FIRST');
    expect(String((await once(gcs!, 'data'))[0])).toBe('SECOND');
    dashboard?.destroy();
    gcs?.destroy();
    expect(asked.at(-1)).toBe(`/portForward/${namespace}/head?port=8265%2C6379`);
  });

  test('says what the node says about a port', async () => {
    const [stream] = await openPodPorts(connection, { ...head(), ports: [1] });
    await expect(text(stream!)).rejects.toThrow('port 1: connection refused');
  });

  test('is carried to a port of this machine', async () => {
    const forwarding = await forwardPorts(connection, { ...head(), ports: [{ local: 0, remote: 8265 }] });
    const client = connect(forwarding.ports[0]?.local ?? 0, '127.0.0.1');
    client.write('hello');
    expect(String((await once(client, 'data'))[0])).toBe('HELLO');
    client.destroy();
    await forwarding.close();
  });

  test('to a pod that does not exist is an ApiError', async () => {
    const opening = openPodPorts(connection, { namespace, pod: 'gone', ports: [80] });
    await expect(opening).rejects.toMatchObject({ code: 404, reason: 'NotFound', message: 'pods "gone" not found' });
  });
});

test('logs come line by line, with every wish passed on to the node', async () => {
  const transport = createTransport({ connection, clock: systemClock });
  const wishes = { container: 'ray', follow: true, tailLines: 5, sinceSeconds: 60, timestamps: true };
  expect(await Array.fromAsync(podLogLines(transport, { ...head(), ...wishes }))).toEqual([
    'first line',
    'second line',
  ]);
  expect(asked.at(-1)).toBe(
    `/containerLogs/${namespace}/head/ray?follow=true&sinceSeconds=60&tailLines=5&timestamps=true`,
  );
  const wrong = Array.fromAsync(podLogLines(transport, { ...head(), container: 'gone' }));
  await expect(wrong).rejects.toMatchObject({ name: 'ApiError', code: 400, reason: 'BadRequest' });
  await transport.close();
});

describe('exec', () => {
  test('speaks v5 with the API server, and what the node refuses arrives as an ApiError', async () => {
    const session = await execInPod(connection, { ...head(), command: ['ls', '-l'], stdin: true });
    expect(session.canEndStdin).toBe(true);
    await expect(session.exit).rejects.toMatchObject({ name: 'ApiError', code: 500, reason: 'InternalError' });
    await expect(session.exit).rejects.toThrow('container is not up');
    expect(asked.at(-1)).toBe(`/exec/${namespace}/head/ray?command=ls&command=-l&error=1&input=1&output=1`);
  });

  test('in a container that does not exist is an ApiError', async () => {
    const running = runInPod(connection, { ...head(), container: 'gone', command: ['ls'] });
    await expect(running).rejects.toMatchObject({ name: 'ApiError', code: 400, reason: 'BadRequest' });
  });

  test('without the right to is an ApiError that names the user', async () => {
    const { kubeconfig } = plane.user({ name: 'onlooker' });
    const onlooker = await loadConnection({ kubeconfig: kubeconfig.path, host: { ...systemHost(), env: {} } });
    const running = runInPod(onlooker, { ...head(), command: ['ls'] });
    await expect(running).rejects.toMatchObject({ code: 403, reason: 'Forbidden' });
    await expect(running).rejects.toThrow('User "onlooker" cannot');
  });
});
