import { guard } from '@manta/base';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { SupervisorConnection } from './supervisor-connection.ts';
import type { ExecStreams, SandboxProcess } from './sandbox.ts';

/** A process as the supervisor knows it. */
export interface SupervisedProcess extends SandboxProcess {
  readonly processName: string;
  readonly line: SupervisorConnection;
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

/** Starts a container's process on the supervisor. */
export async function startOn(
  line: SupervisorConnection,
  { name, ...request }: StartRequest,
): Promise<SupervisedProcess> {
  const processName = `${request.sandbox}/${name}/${randomBytes(4).toString('hex')}`;
  const ended = line.endOf(processName);
  await line.call({ type: 'start', process: processName, ...request });
  const signal = (which: NodeJS.Signals) => line.call({ type: 'signal', process: processName, signal: which });
  return { name, processName, line, ended, signal };
}

/** Runs one more command beside a container's process. */
export async function execIn(
  socket: string,
  container: SandboxProcess,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExecStreams> {
  if (!isSupervised(container)) throw new Error('this container is of another sandbox');
  const { line, processName } = container;
  const exec = `exec/${randomBytes(6).toString('hex')}`;
  const ended = line.endOf(exec);
  await line.call({ type: 'exec', process: processName, exec, command, env });
  const stream = (name: 'stdin' | 'stdout' | 'stderr') => openSocket(socket, { type: 'stream', exec, stream: name });
  const [stdin, stdout, stderr] = await Promise.all([stream('stdin'), stream('stdout'), stream('stderr')]);
  const kill = () => void line.call({ type: 'signal', process: exec, signal: 'SIGKILL' }).catch(() => undefined);
  return { stdin, stdout, stderr, ended, kill };
}

function isSupervised(process: SandboxProcess): process is SupervisedProcess {
  return 'processName' in process && 'line' in process;
}

/** A connection to the supervisor that begins with what it is for. */
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
