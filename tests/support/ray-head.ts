import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { GuardedProcess } from './guarded-process.ts';
import type { RayHome } from '../../packages/manta/src/local/provide-ray.ts';

/** A Ray head on this machine, with ports of its own. */
export interface LocalRayHead {
  /** Where its dashboard answers. */
  readonly url: string;
  /** The port for Serve's HTTP proxy; nothing else listens there. */
  readonly servePort: number;
  /** Its programs' environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends it and everything it started, and starts it again at the same address with no memory of what was. */
  restart(): Promise<void>;
  /** Ends it and everything it started. */
  stop(): Promise<void>;
}

export interface LocalRayHeadOptions {
  readonly venv: RayHome;
  /** More variables for the head and all that runs in it. */
  readonly env?: Readonly<Record<string, string>>;
}

// Every process that comes from a head has this in its environment, also a job's own, which leaves the head's process group.
const MARK = 'MANTA_RAY_HEAD';
const ports = ['gcs', 'dashboard', 'agent', 'agentGrpc', 'client', 'metrics', 'dashboardMetrics', 'serve'] as const;
type Ports = Readonly<Record<(typeof ports)[number], number>>;

/** Starts a head and waits until it takes jobs; about 5 seconds of one core. */
export async function startRayHead({ venv, env = {} }: LocalRayHeadOptions): Promise<LocalRayHead> {
  // Short: Ray makes sockets below it, whose paths may have 107 characters.
  const folder = await mkdtemp(join(tmpdir(), 'mray-'));
  const entries = await Promise.all(ports.map(async (name) => [name, await freePort()] as const));
  const on = Object.fromEntries(entries) as Ports;
  const mark = randomUUID();
  const whole = { ...environment(venv, on), ...env, [MARK]: mark };
  const url = `http://127.0.0.1:${on.dashboard}`;
  const start = async () => {
    const head = launch(venv, folder, on, whole);
    await head.until('taking jobs', () => isReady(url, whole), 90_000);
    return head;
  };
  const end = async () => {
    await head.stop('SIGTERM', 3_000);
    await killMarked(mark);
  };
  let head = await start();
  return {
    url,
    servePort: on.serve,
    env: whole,
    async restart() {
      await end();
      head = await start();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function environment(venv: RayHome, on: Ports): Readonly<Record<string, string>> {
  return {
    PATH: `${venv.bin}:${process.env['PATH'] ?? ''}`,
    // Otherwise Ray tells its makers that it was started.
    RAY_USAGE_STATS_ENABLED: '0',
    RAY_enable_worker_prestart: '0',
    RAY_prestart_worker_first_driver: '0',
    DASHBOARD_METRIC_PORT: String(on.dashboardMetrics),
  };
}

function launch(venv: RayHome, folder: string, on: Ports, env: Readonly<Record<string, string>>): GuardedProcess {
  const flags = [
    `--port=${on.gcs}`,
    '--dashboard-host=127.0.0.1',
    `--dashboard-port=${on.dashboard}`,
    `--dashboard-agent-listen-port=${on.agent}`,
    `--dashboard-agent-grpc-port=${on.agentGrpc}`,
    `--ray-client-server-port=${on.client}`,
    `--metrics-export-port=${on.metrics}`,
    // Zero: any free port, so that heads beside each other do not meet.
    '--min-worker-port=0',
    '--max-worker-port=0',
    '--num-cpus=2',
    '--object-store-memory=78643200',
    '--include-log-monitor=false',
    '--no-monitor',
    '--disable-usage-stats',
    `--temp-dir=${join(folder, 'ray')}`,
  ];
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const args = [...assignments, join(venv.bin, 'ray'), 'start', '--head', '--block', ...flags];
  return new GuardedProcess({ command: '/usr/bin/env', args, logFile: join(folder, 'head.log'), folder });
}

/** The dashboard answers some seconds before the head's own node is there to run anything. */
async function isReady(url: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const headers = env['RAY_AUTH_TOKEN'] ? { 'x-ray-authorization': `Bearer ${env['RAY_AUTH_TOKEN']}` } : {};
  const answer = await fetch(`${url}/api/v0/nodes`, { headers, signal: AbortSignal.timeout(2_000) });
  return answer.ok && (await answer.text()).includes('"ALIVE"');
}

/** Kills what a head left behind, each by its own id. */
async function killMarked(mark: string): Promise<void> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const left = marked(mark);
    for (const pid of left) kill(pid);
    if (left.length === 0) return;
    await sleep(50);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Where there is no /proc, Ray's processes end by themselves once their head is gone. */
function marked(mark: string): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isMarked(name, mark))
      .map(Number);
  } catch {
    return [];
  }
}

function isMarked(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}
