import { guard } from '@manta/base';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { MachineLine } from './supervisor-line.ts';
import type { ExecStreams, SandboxProcess } from './sandbox.ts';

/** A process as the machine knows it. */
export interface MachineProcess extends SandboxProcess {
  readonly machineName: string;
  readonly line: MachineLine;
}

export interface StartRequest {
  readonly sandbox: string;
  /** The container's. */
  readonly name: string;
  /** Run by a shell before the command, which it becomes in the end. */
  readonly script: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly output: string;
}

/** Starts a container's process on the machine. */
export async function startOn(line: MachineLine, { name, ...request }: StartRequest): Promise<MachineProcess> {
  const machineName = `${request.sandbox}/${name}/${randomBytes(4).toString('hex')}`;
  const ended = line.endOf(machineName);
  await line.call({ type: 'start', process: machineName, ...request });
  const signal = (which: NodeJS.Signals) => line.call({ type: 'signal', process: machineName, signal: which });
  return { name, machineName, line, ended, signal };
}

/** Runs one more command beside a container's process. */
export async function execIn(
  socket: string,
  container: SandboxProcess,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExecStreams> {
  if (!isOfMachine(container)) throw new Error('this container is of another sandbox');
  const { line, machineName } = container;
  const exec = `exec/${randomBytes(6).toString('hex')}`;
  const ended = line.endOf(exec);
  await line.call({ type: 'exec', process: machineName, exec, command, env });
  const stream = (name: 'stdin' | 'stdout' | 'stderr') => openSocket(socket, { type: 'stream', exec, stream: name });
  const [stdin, stdout, stderr] = await Promise.all([stream('stdin'), stream('stdout'), stream('stderr')]);
  const kill = () => void line.call({ type: 'signal', process: exec, signal: 'SIGKILL' }).catch(() => undefined);
  return { stdin, stdout, stderr, ended, kill };
}

function isOfMachine(process: SandboxProcess): process is MachineProcess {
  return 'machineName' in process && 'line' in process;
}

/** A connection to the machine that begins with what it is for. */
export function openSocket(path: string, hello: object): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once(
      'connect',
      guard('sandbox', socket, () => {
        socket.off('error', reject).on('error', () => socket.destroy());
        socket.write(`${JSON.stringify(hello)}\n`);
        resolve(socket);
      }),
    );
  });
}
