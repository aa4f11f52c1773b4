import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@manta/kube';
import { createProxy, type Proxy } from '@manta/router';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Balancers } from '../../packages/kubelet/src/network/balancers.ts';
import { startDashboardProxy } from '../../packages/kubelet/src/network/dashboard-proxy.ts';
import { type Admit, admitUsers } from '../../packages/kubelet/src/network/loopback-access.ts';
import { type ServiceProxy, startServiceProxy } from '../../packages/kubelet/src/network/service-proxy.ts';
import { Doors } from '../../packages/kubelet/src/plain/doors.ts';
import { freePort } from '../support/free-port.ts';

const HOST = '127.0.0.1';
const NOBODY = 65_534;
const own = process.getuid?.() ?? 0;
const isRoot = own === 0;
/** The engine's user and another one. Only root can be two users: others take the part of the attacker. */
const ENGINE = isRoot ? 4242 : own + 1;
const attacker = isRoot ? NOBODY : own;

/** Asks a port for a page as a user of the machine; what came back is empty if the connection was reset. */
async function ask(uid: number, port: number, target: string): Promise<string> {
  const script =
    'exec 3<>"/dev/tcp/$0/$1" && printf "GET %s HTTP/1.1\\r\\nHost: $0:$1\\r\\nConnection: close\\r\\n\\r\\n" "$2" >&3 && cat <&3';
  const as = isRoot ? { uid, gid: uid } : {};
  const child = spawn('bash', ['-c', script, HOST, String(port), target], {
    ...as,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return said;
}

let dashboard: Server;
let requests = 0;
const logged: string[] = [];
const closers: (() => unknown)[] = [];
const ports = new Map<string, { readonly port: number; readonly target: string }>();

/** Opens every loopback port of `manta up` that leads to a pod. */
async function openPorts(admit: Admit): Promise<void> {
  const podPort = (dashboard.address() as AddressInfo).port;
  const dial = async () => {
    const socket = connect({ host: HOST, port: podPort, allowHalfOpen: true });
    await once(socket, 'connect');
    return socket.on('error', () => undefined);
  };
  const proxy: ServiceProxy = await startServiceProxy({ dial, admit });
  closers.push(() => proxy.close());
  ports.set('proxy for Services', { port: Number(new URL(proxy.url).port), target: 'http://a.b.svc/' });

  const balancers = new Balancers(dial, admit);
  closers.push(() => balancers.close());
  const nodePort = await freePort();
  await balancers.apply([{ host: HOST, port: nodePort, targets: [{ ip: '10.244.0.2', port: 8265 }] }]);
  ports.set('node port', { port: nodePort, target: '/' });

  const link = await startDashboardProxy({ target: { host: 'a.b.svc', port: 8265 }, dial, port: 0, admit });
  closers.push(() => link.close());
  ports.set('Ray dashboard', { port: Number(new URL(link.url).port), target: '/' });

  const doors = new Doors(HOST, dial, { host: HOST, port: 1 }, admit);
  closers.push(() => doors.close());
  ports.set('Service port for pods without namespaces', { port: (await doors.of('a.b.svc', 80)).port, target: '/' });

  const router: Proxy = createProxy({ clock: systemClock, random: Math.random, admit });
  closers.push(() => router.close(0));
  ports.set('router', { port: await router.listen({ host: HOST, port: 0 }), target: '/' });
}

beforeAll(async () => {
  dashboard = createServer((_, response) => {
    requests += 1;
    response.end('Ray dashboard');
  });
  await once(dashboard.listen(0, HOST), 'listening');
  await openPorts(admitUsers({ uid: ENGINE }, (line) => logged.push(line)));
});
afterAll(async () => {
  for (const close of closers) await close();
  dashboard.closeAllConnections();
  dashboard.close();
});

const PORTS = [
  'proxy for Services',
  'node port',
  'Ray dashboard',
  'Service port for pods without namespaces',
  'router',
];
const portOf = (name: string) => ports.get(name) ?? { port: 0, target: '' };

describe.runIf(process.platform === 'linux')('loopback ports of manta up', () => {
  it.each(PORTS)('give nothing to another user of the machine: %s', async (name) => {
    const { port, target } = portOf(name);
    expect(await ask(attacker, port, target)).toBe('');
    expect(requests).toBe(0);
  });

  it('log the refusal', () => {
    expect(logged[0]).toContain(`its socket belongs to uid ${attacker}, and only uid ${ENGINE}, 0 is served`);
  });

  it.runIf(isRoot).each(PORTS)('serve the user of the engine and root: %s', async (name) => {
    const { port, target } = portOf(name);
    // The router answers, although it has no route yet.
    const expected = name === 'router' ? /^HTTP\/1\.1 503 / : /^HTTP\/1\.1 200 OK[^]*Ray dashboard/;
    expect(await ask(ENGINE, port, target)).toMatch(expected);
    expect(await ask(0, port, target)).toMatch(expected);
  });
});
