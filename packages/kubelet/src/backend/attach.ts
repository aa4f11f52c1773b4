import { existsSync, statSync } from 'node:fs';
import { badRequest, type PodCall } from '@manta/apiserver';
import type { ContainerRunner } from '../pods/container-runner.ts';
import { onChannels, openChannels, sendOn, sendWhole } from './channels.ts';
import { followOutput } from './follow-output.ts';

const [STDOUT, PROBLEM] = [1, 3];
const SUCCESS = Buffer.from(JSON.stringify({ metadata: {}, status: 'Success' }));

/** Shows what a container says from now on until it ends. Both of its outputs are one here, and its input is closed. */
export async function serveAttach(
  container: Pick<ContainerRunner, 'container' | 'output' | 'process'>,
  call: PodCall,
): Promise<void> {
  const path = container.output(false);
  const { name } = container.container;
  if (container.process === undefined || !existsSync(path)) throw badRequest(`container ${name} is not running`);
  const from = statSync(path).size;
  const socket = await openChannels(call, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  // The client's input is discarded, but the end of its connection is noticed.
  onChannels(socket, () => undefined);
  try {
    await followOutput(container, path, from, gone.signal, (chunk) => sendWhole(socket, STDOUT, chunk));
    sendOn(socket, PROBLEM, SUCCESS);
  } finally {
    socket.close(1000);
  }
}
