import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnd } from '../sandbox/sandbox.ts';
import { fewCapabilities, lastScript, toolPath, wrapVariables } from './enter-container.ts';
import { Execs } from './execs.ts';
import { onEndOf } from './on-end-of.ts';
import { ownKeyring } from './own-keyring.ts';
import type { CallOf } from './protocol.ts';
import { capabilityDropper } from './root-script.ts';
import { runTool } from './run-tool.ts';

/** A pod's network and host name, held by a process that does nothing. */
interface PodNamespaces {
  readonly holder: ChildProcess;
  readonly running: Map<string, ChildProcess>;
  /** Where memory is mounted for it. */
  readonly memory: readonly string[];
}

interface Running {
  readonly child: ChildProcess;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  /** `unshare` ends with 1 when its child was killed: that it was is remembered here. */
  isKilled: boolean;
}

/** Every pod's namespaces and every process in them. Only used inside the namespaces. */
export class NamespaceSandboxes {
  /** Called once for each process and each exec. */
  onEnd: (process: string, end: ProcessEnd) => void = () => undefined;
  readonly #sandboxes = new Map<string, PodNamespaces>();
  readonly #processes = new Map<string, Running>();
  readonly #execs = new Execs();
  readonly #mode: 'user' | 'root';
  readonly #keyring = ownKeyring();
  #interfaces = 0;

  constructor(mode: 'user' | 'root') {
    this.#mode = mode;
  }

  async create({ sandbox, ip, hostname, memory = [] }: CallOf<'create'>): Promise<void> {
    const holder = spawn('unshare', ['-n', '-u', '-i', '--', 'sh', '-c', HOLD[this.#mode], hostname], {
      env: { PATH: toolPath() },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    await firstWord(holder);
    const pid = String(holder.pid);
    this.#sandboxes.set(sandbox, { holder, running: new Map(), memory: memory.map(({ path }) => path) });
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
    const namespaces = this.#sandboxes.get(call.sandbox);
    if (namespaces === undefined) throw new Error(`there is no sandbox ${call.sandbox}`);
    const output = openSync(call.output, 'a');
    const inPod = ['-t', String(namespaces.holder.pid), '-n', '-u', '-i', '--'];
    const inContainer = ['unshare', '-m', '-p', '--fork', '--kill-child=SIGKILL', '--'];
    const userNamespace = this.#mode === 'user' ? openSync(`/proc/${namespaces.holder.pid}/ns/user`, 'r') : undefined;
    // A session of its own: it has no terminal, and what it does to its process group reaches no other pod.
    const build = ['sh', '-c', call.script, 'sh', ...call.command];
    let child: ChildProcess;
    try {
      child = spawn(...this.#withOwnKeyring(['nsenter', ...inPod, ...inContainer, ...build]), {
        env: wrapVariables(call.env),
        stdio: ['ignore', output, output, userNamespace ?? 'ignore'],
        detached: true,
      });
    } finally {
      // Also when the variables cannot be passed on: this process serves all pods and must not lose descriptors.
      closeSync(output);
      if (userNamespace !== undefined) closeSync(userNamespace);
    }
    namespaces.running.set(call.process, child);
    const running: Running = { child, env: call.env, workingDir: call.workingDir, isKilled: false };
    this.#processes.set(call.process, running);
    onEndOf(child, (end) => {
      namespaces.running.delete(call.process);
      this.#processes.delete(call.process);
      this.onEnd(call.process, running.isKilled ? KILLED : end);
    });
  }

  async exec({ process, exec, command, env }: CallOf<'exec'>): Promise<void> {
    const running = this.#processes.get(process);
    const pid = running && (await builtProcessOf(running.child));
    if (running === undefined || pid === undefined) throw new Error('the container is not running');
    const words = ['nsenter', ...this.#intoContainer(pid), running.workingDir, ...command];
    const child = spawn(...this.#withOwnKeyring(words), {
      env: wrapVariables({ ...running.env, ...env }),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#execs.add(exec, child, (end) => this.onEnd(exec, end));
  }

  /**
   * Words for `nsenter`. It takes on the pod's user namespace last and runs nothing before. Where there is none, the host's own programs give
   * up their powers before anything of the container runs; meanwhile a real group that differs from the effective one keeps processes of the
   * container from reaching the host's root through theirs.
   */
  #intoContainer(pid: number): readonly string[] {
    const all = ['-t', String(pid), '-m', '-p', '-n', '-u', '-i'];
    if (this.#mode === 'user')
      return [...all, '-U', '--preserve-credentials', '--', '/bin/sh', '-c', lastScript(capabilityDropper())];
    const drop = ['setpriv', '--clear-groups', '--rgid=65534', '--egid=0', ...fewCapabilities().split(' '), '--'];
    const enter = ['chroot', '--userspec=+0:+0', '--groups=', `/proc/${pid}/root`];
    return [...all, '--root=/', '--wd=/', '--', ...drop, ...enter, '/bin/sh', '-c', lastScript('')];
  }

  #withOwnKeyring(words: readonly string[]): [program: string, args: string[]] {
    const [program = '', ...args] = [...this.#keyring, ...words];
    return [program, args];
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
    const namespaces = this.#sandboxes.get(sandbox);
    if (namespaces === undefined) return;
    this.#sandboxes.delete(sandbox);
    const all = [...namespaces.running.values(), namespaces.holder];
    const ended = all.map(
      (child) => new Promise<void>((resolve) => (isOver(child) ? resolve() : child.once('exit', () => resolve()))),
    );
    // Their first processes go with them: that is what --kill-child is for.
    for (const child of all) child.kill('SIGKILL');
    await Promise.all(ended);
    for (const path of namespaces.memory) {
      // Other pods' containers may have been given a copy of the mount with all else that is here, and would keep what is in it.
      await emptyFolder(path);
      await runTool('umount', ['-l', path]).catch(() => undefined);
    }
  }
}

const KILLED: ProcessEnd = { code: 137, signal: 'SIGKILL' };

const BUILT_WITHIN_MS = 10_000;
const LOOK_MS = 10;

/** Ports below 1024 and pings need no power in a pod, which has none over its network. */
const HOLD_NETWORK =
  'hostname "$0"; { echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; echo "0 0" > /proc/sys/net/ipv4/ping_group_range; } 2>/dev/null;';
/** In the pod's user namespace no further namespace can be made: those are where most of the kernel's attack surface is. */
const HOLD_USERS =
  'for limit in /proc/sys/user/max_*_namespaces; do echo 0 > "$limit"; done 2>/dev/null; echo up; exec sleep infinity';
const HOLD = {
  root: `${HOLD_NETWORK} echo up; exec sleep infinity`,
  user: `${HOLD_NETWORK} exec unshare -U -r -- sh -c '${HOLD_USERS}'`,
} as const;

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
    if (pid !== undefined && hasOwnRoot(pid)) return pid;
    await sleep(LOOK_MS);
  }
  return undefined;
}

/** Whether a process sees a root that was built for it, rather than the host's. */
function hasOwnRoot(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}/root/`).dev !== statSync('/').dev;
  } catch {
    return false;
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
