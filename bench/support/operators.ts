import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ControlPlane } from '../../tests/support/control-plane.ts';
import { freePort } from '../../tests/support/free-port.ts';

/** An operator that can be measured: ours, and the peer where `PEER_OPERATOR` names its program. */
export interface Operator {
  readonly name: 'manta' | 'peer';
  readonly command: readonly string[];
}

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

/** Ours first. */
export function operators(): readonly Operator[] {
  const peer = process.env['PEER_OPERATOR'];
  const ours: Operator = { name: 'manta', command: [MANTA, 'operator'] };
  return peer === undefined || peer === '' ? [ours] : [ours, { name: 'peer', command: [peer] }];
}

/** How the API server knows an operator. */
export const OPERATOR_USER = 'system:serviceaccount:ray-system:kuberay-operator';

/** A running operator and what it takes. */
export interface RunningOperator {
  readonly startedAt: number;
  /** CPU seconds so far. */
  cpuSeconds(): number;
  /** The most memory that it has held so far. */
  peakMiB(): number;
  stop(): Promise<void>;
}

/** Lets the operator's user do what the role says, as an installation would. */
export async function bindRole(plane: ControlPlane): Promise<void> {
  const role = await output([MANTA, 'rbac']);
  await plane.apply(role);
  await bind(plane, 'bench-operator', /^ {2}name: (.+)$/m.exec(role)?.[1] ?? '');
}

async function bind(plane: ControlPlane, binding: string, role: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await plane.apply(
    JSON.stringify({
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: binding },
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup, kind: 'User', name: OPERATOR_USER }],
    }),
  );
}

/** Starts it without leader election, with metrics, its log in a file. */
export async function startOperator(plane: ControlPlane, { command, name }: Operator): Promise<RunningOperator> {
  // The peer's role is broader than ours, and is not here: it may do everything.
  if (name === 'peer') await bind(plane, 'bench-peer', 'cluster-admin');
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:ray-system', 'system:authenticated'];
  const user = plane.user({ name: OPERATOR_USER, groups });
  const flags = [
    '--enable-leader-election=false',
    `--metrics-addr=127.0.0.1:${await freePort()}`,
    `--health-probe-bind-address=127.0.0.1:${await freePort()}`,
  ];
  const [program = '', ...args] = command;
  const log = openSync(join(plane.access.folder, `${name}.log`), 'a');
  // Certificates that this machine adds to those of Node are two megabytes that no installation has.
  const env = { ...process.env, KUBECONFIG: user.kubeconfig.path, NODE_EXTRA_CA_CERTS: '' };
  const startedAt = performance.now();
  const child = spawn(program, [...args, ...flags], { env, stdio: ['ignore', log, log] });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const pid = child.pid ?? 0;
  return {
    startedAt,
    cpuSeconds: () => cpuOf(pid),
    peakMiB: () => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    stop: async () => {
      process.off('exit', endWithUs);
      await ended(child);
    },
  };
}

const TICKS_PER_SECOND = 100;

/** CPU seconds that a process has used. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  await exit;
}

/** What a command prints. */
export function output(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('close', (code) =>
      code === 0 ? done(text) : fail(new Error(`${program} ${args.join(' ')} ended with status ${code}`)),
    );
  });
}
