import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asNobody, whyNotAsNobody } from './support/as-nobody.ts';
import { endLocalRay, type LocalRay, newFolder, startLocalRay } from './support/local-ray.ts';
import { create, exec, getText, isReady, NAMESPACE, until, untilObject } from './support/look.ts';

const SAY_NAME = `import http.server, os
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(os.environ["HOSTNAME"].encode())
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("", 8000), Handler).serve_forever()`;

const pod = (name: string, command: readonly string[], more: object = {}) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name.slice(0, 3) } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'busybox', command, ...more }],
    },
  });
const web = (name: string) =>
  pod(name, ['python3', '-c', SAY_NAME], {
    ports: [{ name: 'http', containerPort: 8000 }],
    readinessProbe: { tcpSocket: { port: 'http' }, periodSeconds: 1 },
  });
const service = (name: string, nodePort?: number) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      type: 'NodePort',
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 'http', ...(nodePort === undefined ? {} : { nodePort }) }],
    },
  });

describe.each(['user', 'none'])('a Service, where pods run with --sandbox %s,', (sandbox) => {
  let ray: LocalRay;
  let clusterIp = '';
  let nodePort = 0;

  beforeAll(async () => {
    const folder = newFolder();
    // Nothing of this needs a privilege.
    const through = whyNotAsNobody === undefined ? asNobody(folder) : [];
    ray = await startLocalRay({ folder, through, args: [`--sandbox=${sandbox}`] });
    await create(ray, [service('web'), web('web-1'), web('web-2')].join('\n---\n'));
    await create(ray, pod('client', ['sleep', '1000']));
    for (const name of ['web-1', 'web-2', 'client']) await untilObject(ray, resources.pods, name, isReady);
    const { spec } = await ray.client.get(resources.services, { namespace: NAMESPACE, name: 'web' });
    clusterIp = spec?.clusterIP ?? '';
    nodePort = spec?.ports?.[0]?.nodePort ?? 0;
  });
  afterAll(() => endLocalRay(ray));

  const fromHost = async (port: number) => await (await fetch(`http://127.0.0.1:${port}/`)).text();
  /** What several connections are answered, each once. */
  const answers = async (ask: () => Promise<string>) => {
    const all = [await ask(), await ask(), await ask(), await ask()];
    return [...new Set(all)].toSorted();
  };

  it('answers on this machine, at its node port, with each of its pods in turn', async () => {
    const both = await until(
      'both pods',
      () => answers(() => fromHost(nodePort)),
      ({ length }) => length === 2,
    );
    expect(both).toEqual(['web-1', 'web-2']);
  });

  it('answers in pods, by its name, by its address and where variables say', async () => {
    const ask = (host: string) => `urllib.request.urlopen("http://${host}/").read().decode()[:4]`;
    const program = `import urllib.request; print(${ask('web')}, ${ask('web.default.svc.cluster.local')}, ${ask(clusterIp)})`;
    expect(await exec(ray, 'client', ['python3', '-c', program])).toBe('web- web- web-');
    const script = `exec 3<>/dev/tcp/$WEB_SERVICE_HOST/$WEB_SERVICE_PORT_HTTP; printf 'GET / HTTP/1.0\r\n\r\n' >&3; tail -1 <&3`;
    expect(await exec(ray, 'client', ['bash', '-c', script])).toMatch(/^web-[12]$/);
  });

  it('goes on with the other pod when one has gone', async () => {
    await ray.client.delete(resources.pods, { namespace: NAMESPACE, name: 'web-1' });
    await until(
      'one pod less',
      () => answers(() => fromHost(nodePort)),
      (seen) => seen.join() === 'web-2',
    );
    const program = `import urllib.request; print(*{urllib.request.urlopen("http://${clusterIp}/").read().decode() for n in range(3)})`;
    expect(await exec(ray, 'client', ['python3', '-c', program])).toBe('web-2');
  });

  it('says so when its node port is taken', async () => {
    const { squatter, port } = await squat();
    await create(ray, service('late', port));
    const events = await until(
      'an event',
      () => getText(ray, `/api/v1/namespaces/${NAMESPACE}/events?fieldSelector=involvedObject.name=late`),
      ({ text }) => text.includes('NodePortNotServed'),
    );
    expect(events.text).toContain(
      `node port ${port} is not served on 127.0.0.1: something else on this machine listens there`,
    );
    squatter.close();
  });

  it('frees its node port when it goes', async () => {
    await ray.client.delete(resources.services, { namespace: NAMESPACE, name: 'web' });
    const isFree = () => listen(nodePort).then((server) => server.close(() => undefined) !== undefined);
    expect(await until('a free port', isFree, Boolean)).toBe(true);
  });
});

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Somebody else on one of the ports that Services may ask for. */
async function squat(): Promise<{ readonly squatter: Server; readonly port: number }> {
  for (let port = 32_767; ; port -= 1) {
    const squatter = await listen(port).catch(() => undefined);
    if (squatter !== undefined) return { squatter, port };
  }
}
