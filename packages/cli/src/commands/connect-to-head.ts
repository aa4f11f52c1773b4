import { readFile } from 'node:fs/promises';
import { forwardPorts } from '@manta/kube';
import { createHttpSend, createRayClient, followLogs, type RayClient, type TailLogs } from '@manta/ray';
import { usageError } from '../cli-error.ts';
import { clusterOf, headPodOf } from '../head-pod.ts';
import type { Invocation } from '../invocation.ts';
import type { JobSubmitFlags } from './job-submit.ts';
import type { Submission } from './job-submission.ts';

/** A way to a Ray head. */
export interface HeadConnection {
  readonly client: RayClient;
  readonly tail: TailLogs;
  close(): Promise<void>;
}

const DASHBOARD_PORT = 8265;
const UPLOAD_MS = 10 * 60_000;

/** Reaches the head through the API server, or at `--address`. */
export async function connectToHead(
  call: Invocation,
  { namespace }: Submission,
  clusterName: string,
  flags: JobSubmitFlags,
): Promise<HeadConnection> {
  if (flags.address !== undefined) {
    call.print(`Using address ${flags.address} (no port-forwarding)`);
    return await openHead(call, flags.address.replace(/\/+$/, ''), flags, () => Promise.resolve());
  }
  const kube = await call.client();
  const { serviceName } = await clusterOf(kube, namespace, { kind: 'raycluster', name: clusterName });
  call.print(`Port forwarding service ${serviceName}`);
  const forwarding = await forwardPorts(await call.connection(), {
    namespace,
    pod: async () => (await headPodOf(kube, namespace, clusterName)).metadata?.name ?? '',
    ports: [{ local: 0, remote: DASHBOARD_PORT }],
  });
  const url = `http://127.0.0.1:${forwarding.ports[0]?.local}`;
  call.print(`Port forwarding started on ${url}`);
  return await openHead(call, url, flags, () => forwarding.close());
}

async function openHead(
  call: Invocation,
  url: string,
  flags: JobSubmitFlags,
  close: () => Promise<void>,
): Promise<HeadConnection> {
  const extra = headersOf(flags.headers);
  const http = createHttpSend({ tls: await tlsOf(flags.verify) });
  const client = createRayClient({
    clock: call.world.clock,
    send: (request) => http.send({ ...request, headers: { ...request.headers, ...extra } }),
    head: { url },
    commandTimeoutMs: UPLOAD_MS,
    signal: call.world.signal,
  });
  const tail: TailLogs = async (id, onText, giveUp) => {
    for await (const text of followLogs({ head: { url }, id, signal: giveUp })) onText(text);
  };
  return {
    client,
    tail,
    close: async () => {
      http.close();
      await close();
    },
  };
}

function headersOf(json: string | undefined): Readonly<Record<string, string>> {
  if (json === undefined) return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, text]) => [name.toLowerCase(), String(text)]));
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw usageError(`--headers is not a JSON object. Use e.g. '{"Authorization": "Bearer …"}'.`);
}

/** `--verify`: true, false, or a file of certificates. */
async function tlsOf(
  verify: string | undefined,
): Promise<{ readonly ca?: string; readonly rejectUnauthorized?: boolean }> {
  if (verify === undefined || /^true$/i.test(verify)) return {};
  if (/^false$/i.test(verify)) return { rejectUnauthorized: false };
  const ca = await readFile(verify, 'utf8').catch((error: unknown) => {
    throw usageError(`--verify ${verify} is neither true nor false nor a file that can be read`, error);
  });
  return { ca };
}
