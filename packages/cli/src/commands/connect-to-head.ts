import { readFile } from 'node:fs/promises';
import { forwardPorts, proxyFor, resources } from '@manta/kube';
import {
  createHttpSend,
  createRayClient,
  followLogs,
  type HttpSendOptions,
  type RayClient,
  type RayHead,
  type TailLogs,
} from '@manta/ray';
import { headToken } from '../auth-token.ts';
import { failedTo, usageError } from '../cli-error.ts';
import { headPodOf } from '../head-pod.ts';
import type { Invocation } from '../invocation.ts';
import type { JobSubmitFlags } from './job-submit.ts';

/** A way to a Ray head. */
export interface HeadConnection {
  readonly client: RayClient;
  readonly tail: TailLogs;
  /** GETs a path of the dashboard as JSON; undefined unless the answer is a 200 with JSON of a bounded size. */
  read(path: string): Promise<unknown>;
  close(): Promise<void>;
}

type Tls = NonNullable<HttpSendOptions['tls']>;

const DASHBOARD_PORT = 8265;
const UPLOAD_MS = 10 * 60_000;
const READ_MS = 10_000;
const MAX_READ_BYTES = 32 * 1024 * 1024;

/** How `--address`, `--headers` and `--verify` ask for a head to be reached. */
export interface HeadAccess {
  /** Absent: through the API server. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
}

/** Checks the flags and reads the file that `--verify` names. */
export async function readHeadAccess({
  address,
  headers,
  verify,
}: Pick<JobSubmitFlags, 'address' | 'headers' | 'verify'>): Promise<HeadAccess> {
  const access = { headers: headersOf(headers), tls: await tlsOf(verify) };
  if (address === undefined) return access;
  const url = address.trim().replace(/\/+$/, '');
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw usageError(`--address ${address} is not an address. Use e.g. http://localhost:8265.`);
  return { ...access, url };
}

/** Reaches the head through the API server, or at `--address`, with the token that its cluster asks for. `print` gets lines about the way. */
export async function connectToHead(
  call: Invocation,
  namespace: string,
  clusterName: string,
  access: HeadAccess,
  print: (line: string) => void = (line) => call.print(line),
): Promise<HeadConnection> {
  const { headers } = access;
  const kube = await call.client();
  const cluster = await kube.get(resources.rayClusters, { namespace, name: clusterName }).catch((error: unknown) => {
    throw failedTo(`unable to find RayCluster ${clusterName}`, error);
  });
  const hasOwnLogin = 'authorization' in headers || 'x-ray-authorization' in headers;
  const token = hasOwnLogin ? undefined : await headToken(kube, cluster, call.world.env['RAY_AUTH_TOKEN']);
  if (access.url !== undefined) {
    print(`Using address ${access.url} (no port-forwarding)`);
    return openHead(call, { url: access.url, token }, access, () => Promise.resolve());
  }
  print(`Port forwarding service ${cluster.status?.head?.serviceName ?? ''}`);
  const forwarding = await forwardPorts(await call.connection(), {
    namespace,
    pod: async () => (await headPodOf(kube, namespace, clusterName)).metadata?.name ?? '',
    ports: [{ local: 0, remote: DASHBOARD_PORT }],
  });
  const url = `http://127.0.0.1:${forwarding.ports[0]?.local}`;
  print(`Port forwarding started on ${url}`);
  return openHead(call, { url, token }, access, () => forwarding.close());
}

function openHead(
  { world: { clock, env, signal } }: Invocation,
  head: Pick<RayHead, 'url' | 'token'>,
  { headers, tls }: HeadAccess,
  close: () => Promise<void>,
): HeadConnection {
  const proxy = (url: URL) => proxyFor(url, env);
  const http = createHttpSend({ tls, proxyFor: proxy });
  const client = createRayClient({
    clock,
    send: (request) => http.send({ ...request, headers: { ...request.headers, ...headers } }),
    head,
    commandTimeoutMs: UPLOAD_MS,
    signal,
  });
  const tail: TailLogs = async (id, onText, giveUp) => {
    for await (const text of followLogs({ head, id, headers, tls, proxyFor: proxy, signal: giveUp })) onText(text);
  };
  const read = async (path: string): Promise<unknown> => {
    const authorization = head.token === undefined ? {} : { 'x-ray-authorization': `Bearer ${head.token}` };
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
    const url = `${head.url}${path}`;
    const answer = await http.send({ method: 'GET', url, headers: { ...authorization, ...headers }, signal: timeout });
    return answer.status === 200 ? await boundedJson(answer.body) : undefined;
  };
  return {
    client,
    tail,
    read,
    close: async () => {
      http.close();
      await close();
    },
  };
}

async function boundedJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_READ_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
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
async function tlsOf(verify: string | undefined): Promise<Tls> {
  if (verify === undefined || /^true$/i.test(verify)) return {};
  if (/^false$/i.test(verify)) return { rejectUnauthorized: false };
  const ca = await readFile(verify, 'utf8').catch((error: unknown) => {
    throw usageError(`--verify ${verify} is neither true nor false nor a file that can be read`, error);
  });
  return { ca };
}
