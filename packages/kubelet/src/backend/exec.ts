import { guard, messageOf } from '@manta/base';
import type { WebSocket } from 'ws';
import { badRequest, type PodCall } from '@manta/apiserver';
import type { ContainerRunner } from '../pods/container-runner.ts';
import { quote } from '../supervisor/quote.ts';
import type { ExecStreams, ProcessEnd, Sandbox } from '../sandbox/sandbox.ts';
import { type CommandStatus, failureOf, statusOf } from './command-status.ts';
import { openSpdy } from './open-spdy.ts';
import { pipeCommand } from './pipe-command.ts';
import { REMOTE_COMMAND, serveRemoteStreams, wantedStreams } from './remote-streams.ts';
import { feed, onChannels, openChannels, sendAll, sendOn } from './channels.ts';

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Runs a command in a container, with its streams over SPDY or a WebSocket, as `kubectl exec` speaks them. */
export async function serveExec(sandbox: Sandbox, container: ContainerRunner, call: PodCall): Promise<void> {
  const { process } = container;
  const { name } = container.container;
  if (process === undefined) throw badRequest(`container ${name} is not running`);
  const words = call.query.getAll('command');
  if (words.length === 0) throw badRequest('you must specify at least 1 command for the container');
  // A terminal of its own is what `script` gives a command.
  const command = isOn(call, 'tty') ? ['script', '-qfec', words.map(quote).join(' '), '/dev/null'] : words;
  const transport = openSpdy(call, REMOTE_COMMAND);
  if (transport !== undefined) {
    await serveRemoteStreams(transport, wantedStreams(call), async (streams, gone) =>
      pipeCommand(streams, await sandbox.exec(process, command), gone),
    );
    return;
  }
  const socket = await openChannels(call, PROTOCOLS);
  try {
    finish(socket, statusOf(await carry(socket, await sandbox.exec(process, command), call)));
  } catch (error) {
    finish(socket, failureOf(messageOf(error)));
  }
}

function isOn({ query }: PodCall, key: string): boolean {
  return query.get(key) === 'true' || query.get(key) === '1';
}

async function carry(socket: WebSocket, running: ExecStreams, call: PodCall): Promise<ProcessEnd> {
  const { stdin, stdout, stderr } = running;
  stdin.on('error', () => undefined);
  if (!isOn(call, 'stdin')) stdin.end();
  onChannels(socket, (channel, bytes) => {
    if (channel === CHANNEL.stdin) feed(socket, stdin, bytes);
    else if (channel === CHANNEL.close && bytes[0] === CHANNEL.stdin) stdin.end();
  });
  socket.once(
    'close',
    guard(
      'exec',
      () => socket.terminate(),
      () => running.kill(),
    ),
  );
  const drained = [sendAll(socket, CHANNEL.stdout, stdout), sendAll(socket, CHANNEL.stderr, stderr)];
  const end = await running.ended;
  // Whatever it has not read, it never will.
  stdin.destroy();
  await Promise.all(drained);
  return end;
}

/** The last word: how the command ended. */
function finish(socket: WebSocket, status: CommandStatus): void {
  sendOn(socket, CHANNEL.error, Buffer.from(JSON.stringify(status)));
  socket.close(1000);
}
