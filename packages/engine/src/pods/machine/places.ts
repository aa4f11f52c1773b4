import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { Execs } from './execs.ts';
import { onEndOf } from './on-end-of.ts';
import type { CallOf } from './protocol.ts';
import { runTool } from './run-tool.ts';

/** A pod's network and host name, held by a process that does nothing. */
interface Place {
  readonly holder: ChildProcess;
  readonly running: Map<string, ChildProcess>;
  /** Where memory is mounted for it. */
  readonly memory: readonly string[];
}

interface Running {
  readonly child: ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  /** `unshare` ends with 1 when its child was killed: that it was is remembered here. */
  isKilled: boolean;
}

/** Every pod's place and every process in them. Only used inside the namespaces. */
export class Places {
  /** Told once for each process and each exec. */
  onEnd: (process: string, end: ProcessEnd) => void = () => undefined;
  readonly #places = new Map<string, Place>();
  readonly #processes = new Map<string, Running>();
  readonly #execs = new Execs();
  #interfaces = 0;

  async create({ sandbox, ip, hostname, memory = [] }: CallOf<'create'>): Promise<void> {
    const holder = spawn('unshare', ['-n', '-u', '-i', '--', 'sh', '-c', HOLD, hostname], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await firstWord(holder);
    const pid = String(holder.pid);
    this.#places.set(sandbox, { holder, running: new Map(), memory: memory.map(({ path }) => path) });
    for (const { path, bytes } of memory) {
      const size = bytes === undefined ? '' : `,size=${bytes}`;
      await runTool('mount', ['-t', 'tmpfs', '-o', `mode=777${size}`, 'tmpfs', path]);
    }
    this.#interfaces += 1;
    const outside = `pod${this.#interfaces}`;
    await runTool('ip', ['link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]);
    await runTool('ip', ['link', 'set', outside, 'master', 'manta0', 'up']);
    const gateway = `${ip.slice(0, ip.lastIndexOf('.'))}.1`;
    const raise = `ip addr add ${ip}/24 dev eth0 && ip link set eth0 up && ip link set lo up && ip route add default via ${gateway}`;
    await runTool('nsenter', ['-t', pid, '-n', '--', 'sh', '-c', raise]);
  }

  start(call: CallOf<'start'>): void {
    const place = this.#places.get(call.sandbox);
    if (place === undefined) throw new Error(`there is no sandbox ${call.sandbox}`);
    const output = openSync(call.output, 'a');
    const inPod = ['-t', String(place.holder.pid), '-n', '-u', '-i', '--'];
    const inContainer = ['unshare', '-m', '-p', '--fork', '--kill-child=SIGKILL', '--'];
    const child = spawn('nsenter', [...inPod, ...inContainer, 'sh', '-c', call.script, 'sh', ...call.command], {
      env: { ...call.env },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    place.running.set(call.process, child);
    const running: Running = { child, env: call.env, isKilled: false };
    this.#processes.set(call.process, running);
    onEndOf(child, (end) => {
      place.running.delete(call.process);
      this.#processes.delete(call.process);
      this.onEnd(call.process, running.isKilled ? KILLED : end);
    });
  }

  async exec({ process, exec, command, env }: CallOf<'exec'>): Promise<void> {
    const running = this.#processes.get(process);
    const pid = running && (await builtProcessOf(running.child));
    if (running === undefined || pid === undefined) throw new Error('the container is not running');
    const args = ['-t', String(pid), '-m', '-p', '-n', '-u', '-i', '--root', '--wd', '--', ...command];
    const child = spawn('nsenter', args, { env: { ...running.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#execs.add(exec, child, (end) => this.onEnd(exec, end));
  }

  attach(exec: string, stream: 'stdin' | 'stdout' | 'stderr', socket: Socket): void {
    this.#execs.attach(exec, stream, socket);
  }

  signal(process: string, signal: NodeJS.Signals): void {
    const exec = this.#execs.get(process);
    if (exec !== undefined) {
      // `nsenter` waits for the command, which would outlive it.
      const command = firstProcessOf(exec);
      if (command === undefined) exec.kill(signal);
      else globalThis.process.kill(command, signal);
      return;
    }
    const running = this.#processes.get(process);
    const pid = running && firstProcessOf(running.child);
    if (running === undefined || pid === undefined) return;
    running.isKilled ||= signal === 'SIGKILL';
    globalThis.process.kill(pid, signal);
  }

  /** Nothing to do: the kernel ends what runs in the namespaces with their first process. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async destroy(sandbox: string): Promise<void> {
    const place = this.#places.get(sandbox);
    if (place === undefined) return;
    this.#places.delete(sandbox);
    const all = [...place.running.values(), place.holder];
    const ended = all.map(
      (child) => new Promise<void>((resolve) => (isOver(child) ? resolve() : child.once('exit', () => resolve()))),
    );
    // Their first processes go with them: that is what --kill-child is for.
    for (const child of all) child.kill('SIGKILL');
    await Promise.all(ended);
    for (const path of place.memory) {
      // Other pods' containers may have been given a copy of the mount with all else that is here, and would keep what is in it.
      await emptyFolder(path);
      await runTool('umount', ['-l', path]).catch(() => undefined);
    }
  }
}

const KILLED: ProcessEnd = { code: 137, signal: 'SIGKILL' };

const BUILT_WITHIN_MS = 10_000;
const LOOK_MS = 10;

const HOLD = 'hostname "$0"; echo up; exec sleep infinity';

function firstWord(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the namespaces of the pod could not be made')));
  });
}

/** The container's first process once it sees what was built for it, and nothing else; undefined where it ended before, or took too long. */
async function builtProcessOf(child: ChildProcess): Promise<number | undefined> {
  for (const deadline = performance.now() + BUILT_WITHIN_MS; !isOver(child) && performance.now() < deadline; ) {
    const pid = firstProcessOf(child);
    if (pid !== undefined && rootOf(pid) !== '/') return pid;
    await sleep(LOOK_MS);
  }
  return undefined;
}

function rootOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/root`);
  } catch {
    return '/';
  }
}

async function emptyFolder(path: string): Promise<void> {
  const names = await readdir(path).catch(() => []);
  await Promise.all(names.map((name) => rm(join(path, name), { recursive: true, force: true }).catch(() => undefined)));
}

function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** `unshare --fork` and `nsenter` wait for their only child: the container's first process, or the command. */
function firstProcessOf({ pid }: ChildProcess): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    return children[0] === undefined || children[0] === '' ? undefined : Number(children[0]);
  } catch {
    return undefined;
  }
}
