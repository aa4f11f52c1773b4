import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * The dashboards and Serve proxies of all Ray heads in one process: an HTTP proxy that answers by itself. Each application runs a while
 * after it was configured. Arguments: milliseconds that an answer takes, and milliseconds until an application runs. Prints
 * `{"url": …}`; `/tally` has how many requests came, `/configured?marker=…` how many heads have a configuration with that word.
 */
const [latency = '0', deploy = '0'] = process.argv.slice(2);
const tally: Record<string, number> = {};
const heads = new Map<string, { readonly config: string; readonly at: number }>();

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '' } = request;
  if (url.startsWith('/')) {
    response.end(JSON.stringify(told(new URL(url, 'http://bench'))));
    return;
  }
  const { hostname, pathname } = new URL(url);
  const what = pathname.startsWith('/api/serve') ? `${method} serve` : pathname;
  tally[what] = (tally[what] ?? 0) + 1;
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  if (method === 'PUT') heads.set(hostname, { config: body, at: Date.now() });
  setTimeout(() => reply(response, pathname, hostname), Number(latency));
}

function told(url: URL): unknown {
  if (url.pathname === '/tally') return tally;
  const marker = url.searchParams.get('marker') ?? '';
  return [...heads.values()].filter(({ config }) => config.includes(marker)).length;
}

function reply(response: ServerResponse, path: string, head: string): void {
  if (!path.startsWith('/api/serve')) {
    response.end('success');
    return;
  }
  const held = heads.get(head);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ applications: held === undefined ? {} : applicationsOf(held), proxies: {} }));
}

function applicationsOf({ config, at }: { readonly config: string; readonly at: number }) {
  const { applications = [] }: { readonly applications?: readonly { readonly name: string }[] } = JSON.parse(config);
  const isUp = Date.now() >= at + Number(deploy);
  const status = isUp ? 'RUNNING' : 'DEPLOYING';
  const deployments = { app: { name: 'app', status: isUp ? 'HEALTHY' : 'UPDATING', message: '' } };
  return Object.fromEntries(
    applications.map((application) => [
      application.name,
      { ...application, status, message: '', deployed_app_config: application, deployments },
    ]),
  );
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
