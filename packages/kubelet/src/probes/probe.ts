import { guard, messageOf } from '@manta/base';
import type { Duplex } from 'node:stream';
import type { Container, GRPCAction, HTTPGetAction, IntOrString, Probe } from '@manta/api';
import type { Sandbox, SandboxProcess } from '../sandbox/sandbox.ts';

/** What a probe is tried on. */
export interface ProbeTarget {
  readonly sandbox: Sandbox;
  readonly process: SandboxProcess;
  readonly container: Container;
}

/** How one attempt went; `message` is what a kubelet's event would say. */
export type ProbeResult = { readonly isOk: true } | { readonly isOk: false; readonly message: string };

const OK: ProbeResult = { isOk: true };

/** Tries a probe, or a hook, once; a probe that takes longer than it may has failed. */
export async function tryProbe(probe: Probe, target: ProbeTarget): Promise<ProbeResult> {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    return await Promise.race([attempt(probe, target, late.signal), lateResult(late.signal, timeoutMs)]);
  } catch (error) {
    return { isOk: false, message: messageOf(error) };
  } finally {
    clearTimeout(timer);
    late.abort();
  }
}

function lateResult(signal: AbortSignal, timeoutMs: number): Promise<ProbeResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ isOk: false, message: `no answer within ${timeoutMs / 1000} s` }));
  });
}

async function attempt(probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const { exec, httpGet, tcpSocket, grpc } = probe;
  if (exec !== undefined) return await tryCommand(exec.command ?? [], target, signal);
  if (httpGet !== undefined) return await tryHttp(httpGet, target, signal);
  if (tcpSocket !== undefined) {
    (await target.sandbox.connect(portOf(tcpSocket.port, target.container))).destroy();
    return OK;
  }
  return grpc === undefined ? OK : await tryGrpc(grpc, target, signal);
}

async function tryCommand(
  command: readonly string[],
  { sandbox, process }: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const running = await sandbox.exec(process, command);
  signal.addEventListener('abort', () => running.kill(), { once: true });
  running.stdin.end();
  let said = '';
  for (const stream of [running.stdout, running.stderr])
    stream.on(
      'data',
      guard('kubelet', undefined, (chunk: Buffer) => {
        said = (said + chunk.toString('utf8')).slice(0, 1024);
      }),
    );
  const { code } = await running.ended;
  return code === 0 ? OK : { isOk: false, message: said.trim() || `command ended with ${code}` };
}

async function tryHttp(action: HTTPGetAction, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const status = await requestOver(action, target, signal);
  return status >= 200 && status < 400 ? OK : { isOk: false, message: `HTTP probe failed with statuscode: ${status}` };
}

/** Asks a container over HTTP as a kubelet does; gives the status of its answer. */
export async function requestOver(
  { path = '/', port, scheme = 'HTTP', host, httpHeaders = [] }: HTTPGetAction,
  { sandbox, container }: ProbeTarget,
  signal?: AbortSignal,
): Promise<number> {
  const number = portOf(port, container);
  const socket = await sandbox.connect(number);
  signal?.addEventListener('abort', () => socket.destroy(), { once: true });
  const named = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]));
  const headers = {
    'user-agent': 'kube-probe/1.36',
    accept: '*/*',
    connection: 'close',
    host: `${host ?? sandbox.ip}:${number}`,
    ...named,
  };
  return await getStatus(scheme, socket, path, headers);
}

function getStatus(scheme: string, socket: Duplex, path: string, headers: Record<string, string>): Promise<number> {
  const { request } = process.getBuiltinModule('node:http');
  const tls = process.getBuiltinModule('node:tls');
  const createConnection = () => (scheme === 'HTTPS' ? tls.connect({ socket, rejectUnauthorized: false }) : socket);
  return new Promise((resolve, reject) => {
    const sent = request({ path: path.startsWith('/') ? path : `/${path}`, headers, createConnection }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** grpc.health.v1.Health/Check, by hand: a message with one text field there, one number back. */
async function tryGrpc(
  { port, service = '' }: GRPCAction,
  { sandbox }: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { connect } = process.getBuiltinModule('node:http2');
  const socket = await sandbox.connect(port);
  const session = connect(`http://${sandbox.ip}:${port}`, { createConnection: () => socket });
  signal.addEventListener('abort', () => session.destroy(), { once: true });
  const frame = healthRequest(service);
  const answer = await new Promise<Buffer>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on(
      'data',
      guard('kubelet', stream, (chunk: Buffer) => chunks.push(chunk)),
    );
    stream.once(
      'end',
      guard('kubelet', stream, () => resolve(Buffer.concat(chunks))),
    );
    stream.once('error', reject);
    stream.end(frame);
  });
  session.close();
  // Five bytes of length, then field 1 as a number: 1 is SERVING.
  return answer.length === 7 && answer[5] === 8 && answer[6] === 1
    ? OK
    : { isOk: false, message: 'service unhealthy (responded with "NOT_SERVING")' };
}

function healthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  // Lengths are numbers of seven bits a byte, the lowest first.
  const { length } = name;
  const size = length < 128 ? [length] : [(length & 127) | 128, length >> 7];
  const message = length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...size]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A port by its number, or by the name that the container gives it. */
export function portOf(port: IntOrString, { ports = [] }: Container): number {
  if (typeof port === 'number') return port;
  const named = ports.find(({ name }) => name === port)?.containerPort ?? Number(port);
  if (!Number.isInteger(named)) throw new Error(`the container has no port named "${port}"`);
  return named;
}
