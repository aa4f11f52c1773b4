import type { KubeClient } from '../client/client.ts';
import { systemClock } from '../clock.ts';
import { createKubeClient, type KubeClientOptions } from '../client/kube-client.ts';
import type { Transport } from '../transport/transport.ts';
import { createTransport } from '../transport/create-transport.ts';
import { FaultServer, type FaultServerOptions } from './fault-server.ts';

/** A client over real sockets to a server that misbehaves on request. */
export interface FaultyApi {
  readonly server: FaultServer;
  readonly transport: Transport;
  readonly client: KubeClient;
  close(): Promise<void>;
}

/** Starts both; `clock` moves the client and its transport. */
export async function startFaultyApi(
  options: Partial<KubeClientOptions> = {},
  serverOptions: FaultServerOptions = {},
): Promise<FaultyApi> {
  const server = await FaultServer.start(serverOptions);
  const clock = options.clock ?? systemClock;
  const transport = createTransport({ connection: server.connection(), clock });
  return {
    server,
    transport,
    client: createKubeClient({ transport, ...options, clock }),
    async close() {
      await transport.close();
      await server.close();
    },
  };
}

/** Polls until it holds; a test's own timeout is the limit. */
export async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
