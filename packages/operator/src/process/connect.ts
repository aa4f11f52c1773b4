import { API_CLIENT_LIMITS } from '@manta/base';
import {
  type Clock,
  createKubeClient,
  createTransport,
  type KubeClient,
  loadConnection,
  type Transport,
} from '@manta/kube';
import { createRestClientObserver, type Logger, type MetricsRegistry } from '@manta/runtime';
import { FIELD_MANAGER } from '../observe/inherited-annotations.ts';
import type { OperatorOptions } from '../options/options.ts';

/** How the operator reaches its cluster. */
export interface ClusterConnection {
  readonly client: KubeClient;
  /** Close it last. */
  readonly transport: Transport;
  readonly server: URL;
}

export interface ConnectWorld {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
}

/** The server repeats its warnings with every request they apply to; each is worth one line. */
const MAX_WARNINGS = API_CLIENT_LIMITS.warnings;
/** More at once keep no API server busier: its watches only fall behind, and with them all that waits for what they show. */
const UNDER_WAY = { young: 24, youngMs: 1000 } as const;

/** A client for the cluster that the options name: counted in `rest_client_*`, and with the server's warnings in the log. */
export async function connect(
  options: Pick<OperatorOptions, 'kubeconfig' | 'rateLimit'>,
  version: string,
  { clock, metrics, log }: ConnectWorld,
): Promise<ClusterConnection> {
  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const { server } = connection;
  const observer = createRestClientObserver(metrics);
  const transport = createTransport({ connection, clock, userAgent: `${FIELD_MANAGER}/${version}`, observer });
  const warnings = log.named('KubeAPIWarningLogger');
  const said = new Set<string>();
  const client = createKubeClient({
    transport,
    clock,
    rateLimit: options.rateLimit,
    underWay: UNDER_WAY,
    observer,
    host: server.host,
    onWarning({ text }) {
      if (said.has(text) || said.size >= MAX_WARNINGS) return;
      said.add(text);
      warnings.info(text);
    },
  });
  return { client, transport, server };
}
