import { existsSync, statSync } from 'node:fs';
import { badRequest, type PodCall, type SpdyStream } from '@manta/apiserver';
import type { ContainerRunner } from '../pods/container-runner.ts';
import { onChannels, openChannels, sendOn, sendWhole } from './channels.ts';
import { SUCCESS } from './command-status.ts';
import { openSpdy } from './open-spdy.ts';
import { REMOTE_COMMAND, serveRemoteStreams, wantedStreams } from './remote-streams.ts';
import { followOutput } from './follow-output.ts';

const [STDOUT, PROBLEM] = [1, 3];

/** Shows what a container says from now on until it ends. Both of its outputs are one here, and its input is closed. */
export async function serveAttach(
  container: Pick<ContainerRunner, 'container' | 'output' | 'process'>,
  call: PodCall,
): Promise<void> {
  const path = container.output(false);
  const { name } = container.container;
  if (container.process === undefined || !existsSync(path)) throw badRequest(`container ${name} is not running`);
  const from = statSync(path).size;
  const transport = openSpdy(call, REMOTE_COMMAND);
  if (transport !== undefined) {
    await serveRemoteStreams(transport, wantedStreams(call), async (streams, gone) => {
      // What a client types has no reader here.
      streams.get('stdin')?.resume();
      await followOutput(container, path, from, gone, (chunk) => write(streams.get('stdout'), chunk));
      return SUCCESS;
    });
    return;
  }
  const socket = await openChannels(call, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // The client's input is discarded, but the end of its connection is noticed.
  onChannels(socket, () => undefined);
  try {
    await followOutput(container, path, from, gone.signal, (chunk) => sendWhole(socket, STDOUT, chunk));
    sendOn(socket, PROBLEM, Buffer.from(JSON.stringify(SUCCESS)));
  } finally {
    socket.close(1000);
  }
}

/** Resolves when the client can take more, or has left. */
function write(stream: SpdyStream | undefined, chunk: Buffer): Promise<void> {
  if (stream === undefined || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => void stream.write(chunk, () => resolve()));
}
