import { type Dial, DEFAULT_CLASS, type RouterParts, runRouter } from '@manta/router';
import { firstFreePort } from './free-port.ts';

/** Next to the port of the API; nothing well known has it. */
const DEFAULT_PORT = 7480;
const HOST = '127.0.0.1';

export interface LocalRouter {
  /** Undefined is the usual one, or any where that is taken; 0 is any. */
  readonly port: number | undefined;
  readonly kubeconfig: string;
  /** How pods are reached. */
  readonly dial: Dial;
  /** Which connections of clients are served; all unless given. */
  readonly admit: RouterParts['admit'];
  /** Told where clients are served, once they are. */
  readonly onServing: (url: string) => void;
}

/** Serves the Gateways of a local engine on a loopback port until told to stop. */
export async function runLocalRouter(local: LocalRouter, version: string, stop: AbortSignal): Promise<void> {
  const port = local.port ?? (await firstFreePort(DEFAULT_PORT, HOST));
  const options = {
    listen: [{ host: HOST, port }],
    metrics: undefined,
    gatewayClass: DEFAULT_CLASS,
    namespaces: [],
    kubeconfig: local.kubeconfig,
    addresses: [HOST],
    installCrds: false,
    connectTimeoutMs: 2_000,
    answerTimeoutMs: undefined,
    shutdownDelayMs: 0,
    // Its pods end with it.
    shutdownGraceMs: 1_000,
    logFormat: 'console',
  } as const;
  const onServing = (bound: number) => local.onServing(`http://${HOST}:${bound}`);
  await runRouter(options, version, stop, { dial: local.dial, admit: local.admit, onServing });
}
