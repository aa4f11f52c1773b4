import type { SpdyStream } from '@manta/apiserver';
import type { ExecStreams } from '../sandbox/sandbox.ts';
import { type CommandStatus, statusOf } from './command-status.ts';
import type { RemoteStreams } from './remote-streams.ts';

/** Connects the streams of a client over SPDY with those of a command; resolves when the command has ended and its output is sent. */
export async function pipeCommand(
  streams: RemoteStreams,
  running: ExecStreams,
  gone: AbortSignal,
): Promise<CommandStatus> {
  const { stdin, stdout, stderr } = running;
  stdin.on('error', () => undefined);
  gone.addEventListener('abort', () => running.kill(), { once: true });
  if (gone.aborted) running.kill();
  const input = streams.get('stdin');
  if (input === undefined) stdin.end();
  else input.pipe(stdin);
  const drained = [sendTo(stdout, streams.get('stdout')), sendTo(stderr, streams.get('stderr'))];
  const end = await running.ended;
  input?.unpipe(stdin);
  // Whatever it has not read, it never will.
  stdin.destroy();
  await Promise.all(drained);
  return statusOf(end);
}

/** Sends what a command writes, no faster than the client takes it; resolves when all of it is sent or the client has left. */
function sendTo(from: NodeJS.ReadableStream, to: SpdyStream | undefined): Promise<void> {
  if (to === undefined || to.destroyed) from.resume();
  else from.pipe(to, { end: false });
  to?.once('close', () => from.resume());
  return new Promise((resolve) => {
    for (const over of ['end', 'error', 'close']) from.once(over, () => resolve());
  });
}
