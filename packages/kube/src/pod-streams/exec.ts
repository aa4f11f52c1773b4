import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type FailedCall, TransportError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Connection } from '../transport/connection.ts';
import { type ChannelSocket, openChannelSocket } from './channel-socket.ts';
import { ChannelReader, channelWriter } from './channel-streams.ts';
import { decodeExitStatus, type ExitStatus } from './exit-status.ts';
import { podPath } from './pod-path.ts';

/** The container to talk to, and which of its streams. */
export interface AttachOptions {
  readonly namespace: string;
  readonly pod: string;
  /** Absent: the pod's default container. */
  readonly container?: string | undefined;
  /** Default false. */
  readonly stdin?: boolean | undefined;
  /** Default true. A stream that was asked for must be read, or everything stops. */
  readonly stdout?: boolean | undefined;
  /** Default true, and never with a terminal, which has one output. */
  readonly stderr?: boolean | undefined;
  readonly tty?: boolean | undefined;
  /** Cuts the session. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

export interface ExecOptions extends AttachOptions {
  readonly command: readonly string[];
}

/** A running command. Streams that were not asked for are ended from the start. */
export interface PodSession {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when the session is over; rejects with `ApiError` (could not be run) or `TransportError` (cut off, outcome unknown).
   */
  readonly exit: Promise<ExitStatus>;
  /** False on servers that speak v4 only: the command there never sees the end of its input. */
  readonly canEndStdin: boolean;
  resize(columns: number, rows: number): void;
  /** Hangs up; what happens to the command is up to the container runtime. */
  close(): void;
}

const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;
const V5 = 'v5.channel.k8s.io';
const V4 = 'v4.channel.k8s.io';

/** Runs a command in a container. */
export function execInPod(connection: Connection, options: ExecOptions): Promise<PodSession> {
  const command = options.command.map((word) => ['command', word] as const);
  return openSession(connection, options, podPath(options, 'exec', [...command, ...streamQuery(options)]), true);
}

/** Joins the main process of a container. An orderly end without a status counts as success: the process may live on. */
export function attachToPod(connection: Connection, options: AttachOptions): Promise<PodSession> {
  return openSession(connection, options, podPath(options, 'attach', streamQuery(options)), false);
}

/** Runs a command to its end and gathers what it wrote; `input` is written to its standard input, which is then closed. */
export async function runInPod(
  connection: Connection,
  options: ExecOptions,
  input?: string | Uint8Array,
): Promise<ExitStatus & { readonly stdout: Buffer; readonly stderr: Buffer }> {
  const session = await execInPod(connection, { ...options, stdin: input !== undefined });
  if (input !== undefined) session.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr, exit] = await Promise.all([buffer(session.stdout), buffer(session.stderr), session.exit]);
  return { ...exit, stdout, stderr };
}

function streamQuery(options: AttachOptions): readonly (readonly [string, string])[] {
  const wanted = {
    container: options.container,
    stdin: options.stdin ? 'true' : undefined,
    stdout: (options.stdout ?? true) ? 'true' : undefined,
    stderr: wantsStderr(options) ? 'true' : undefined,
    tty: options.tty ? 'true' : undefined,
  };
  return Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function wantsStderr(options: AttachOptions): boolean {
  return (options.stderr ?? true) && options.tty !== true;
}

async function openSession(
  connection: Connection,
  options: AttachOptions,
  path: string,
  needsStatus: boolean,
): Promise<PodSession> {
  const { signal, clock } = options;
  const session = new ChannelSession({ method: 'GET', path: path.replace(/\?.*/, '') }, needsStatus);
  if (options.stdout === false) session.stdout.ended();
  if (!wantsStderr(options)) session.stderr.ended();
  await session.open({ connection, path, protocols: [V5, V4], signal, clock }, options.stdin === true);
  return session;
}

class ChannelSession implements PodSession {
  readonly stdin: Writable;
  readonly stdout: ChannelReader;
  readonly stderr: ChannelReader;
  readonly exit: Promise<ExitStatus>;
  readonly #call: FailedCall;
  readonly #needsStatus: boolean;
  readonly #settle: PromiseWithResolvers<ExitStatus>;
  #socket: ChannelSocket | undefined;
  #statusText = '';
  #isHungUp = false;

  constructor(call: FailedCall, needsStatus: boolean) {
    this.#call = call;
    this.#needsStatus = needsStatus;
    this.stdout = new ChannelReader(() => this.#socket);
    this.stderr = new ChannelReader(() => this.#socket);
    this.stdin = channelWriter(
      () => this.#connected(),
      CHANNEL.stdin,
      () => this.#endStdin(),
    );
    this.#settle = Promise.withResolvers();
    this.exit = this.#settle.promise;
    // A caller that only reads the streams must not get an unhandled rejection.
    this.exit.catch(() => undefined);
  }

  get canEndStdin(): boolean {
    return this.#connected().protocol === V5;
  }

  async open(request: Parameters<typeof openChannelSocket>[0], hasStdin: boolean): Promise<void> {
    await openChannelSocket(request, (socket) => {
      this.#socket = socket;
      return {
        onMessage: (channel, payload) => this.#onMessage(channel, payload),
        onClose: (error) => this.#onClose(error),
      };
    });
    if (!hasStdin) this.stdin.destroy();
  }

  resize(columns: number, rows: number): void {
    this.#connected().send(CHANNEL.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })));
  }

  close(): void {
    this.#isHungUp = true;
    this.#connected().close();
  }

  #connected(): ChannelSocket {
    if (this.#socket === undefined) throw new TransportError('the session is not open yet', { call: this.#call });
    return this.#socket;
  }

  #endStdin(): void {
    if (this.canEndStdin) this.#connected().send(CHANNEL.close, Uint8Array.of(CHANNEL.stdin));
  }

  #onMessage(channel: number, payload: Buffer): void {
    switch (channel) {
      case CHANNEL.stdout:
        this.stdout.arrived(payload);
        break;
      case CHANNEL.stderr:
        this.stderr.arrived(payload);
        break;
      case CHANNEL.error:
        this.#statusText += payload.toString('utf8');
        break;
      case CHANNEL.close:
        if (payload[0] === CHANNEL.stdout) this.stdout.ended();
        if (payload[0] === CHANNEL.stderr) this.stderr.ended();
        break;
      default:
        break;
    }
  }

  #onClose(error: Error | undefined): void {
    this.stdout.ended();
    this.stderr.ended();
    this.stdin.destroy();
    try {
      this.#settle.resolve(this.#outcome(error));
    } catch (failure) {
      this.#settle.reject(failure);
    }
  }

  #outcome(error: Error | undefined): ExitStatus {
    if (this.#statusText !== '') return decodeExitStatus(this.#call, this.#statusText);
    if (error !== undefined) throw error;
    if (!this.#needsStatus) return { code: 0 };
    const who = this.#isHungUp ? 'we' : 'the server';
    throw new TransportError(`${who} closed the stream before it was known how the command ended`, {
      call: this.#call,
    });
  }
}
