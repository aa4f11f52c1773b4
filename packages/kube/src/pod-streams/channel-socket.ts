import { guard } from '@manta/base';
import type { WebSocket } from 'ws';
import { TransportError } from '../api-error.ts';
import { type Clock, systemClock } from '../clock.ts';
import { openWebSocket, type WebSocketRequest } from './web-socket.ts';

/** What arrives; `onClose` comes once, last. */
export interface ChannelHandlers {
  onMessage(channel: number, payload: Buffer): void;
  /** `error` is absent when the server closed in order. */
  onClose(error: Error | undefined): void;
}

/** A WebSocket on which each message begins with the number of its channel (`*.channel.k8s.io`). */
export interface ChannelSocket {
  /** The one the server picked. */
  readonly protocol: string;
  /** `done` is called when the bytes have left, so that a writer can wait. */
  send(channel: number, payload: Uint8Array, done?: (error?: Error | null) => void): void;
  /** Stops reading until every pause was answered by a resume. */
  pause(): void;
  resume(): void;
  /** Says goodbye; `onClose` follows, at the latest after two seconds. */
  close(): void;
  /** Cuts the connection; `onClose` follows with `reason`. */
  abort(reason: Error): void;
}

const PING_EVERY_MS = 5_000;
/** Twelve pings may go unanswered, as in kubectl. */
const SILENCE_LIMIT_MS = 61_000;
const CLOSE_LIMIT_MS = 2_000;
/** Large writes are cut so that other channels get their turn. */
const MAX_PAYLOAD = 32_768;
const NORMAL_CLOSURE = 1000;
const GOING_AWAY = 1001;
const NO_STATUS = 1005;

/**
 * Opens the socket; see `openWebSocket` for how it fails. `connect` is given the socket before it is open and says who listens. An
 * aborted signal later cuts the connection.
 */
export async function openChannelSocket(
  request: WebSocketRequest,
  connect: (socket: ChannelSocket) => ChannelHandlers,
): Promise<void> {
  await openWebSocket(request, (socket) => {
    const channels = new WebSocketChannels(socket, request.clock ?? systemClock, request.signal);
    channels.listen(connect(channels));
  });
}

class WebSocketChannels implements ChannelSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #pauses = 0;
  #lastHeardMs = 0;
  #reason: Error | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor(socket: WebSocket, clock: Clock, signal: AbortSignal | undefined) {
    this.#socket = socket;
    this.#clock = clock;
    this.#signal = signal;
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Before `open` the opener reports failures; from then on they are ours. */
  listen(handlers: ChannelHandlers): void {
    const socket = this.#socket;
    const onAbort = () => this.abort(abortReason(this.#signal));
    socket.on('error', (error) => {
      this.#reason ??= error;
    });
    socket.once(
      'open',
      guard(
        'stream of the API server',
        () => socket.terminate(),
        () => {
          this.#lastHeardMs = this.#clock.now();
          this.#schedulePing();
          this.#signal?.addEventListener('abort', onAbort, { once: true });
          socket.on(
            'message',
            guard(
              'stream of the API server',
              () => socket.terminate(),
              (data, isBinary) => this.#onMessage(handlers, data, isBinary),
            ),
          );
          socket.on(
            'pong',
            guard(
              'stream of the API server',
              () => socket.terminate(),
              () => {
                this.#lastHeardMs = this.#clock.now();
              },
            ),
          );
          socket.once(
            'close',
            guard(
              'stream of the API server',
              () => socket.terminate(),
              (code, reason) => {
                this.#cancelTimer();
                this.#signal?.removeEventListener('abort', onAbort);
                handlers.onClose(this.#reason ?? closeError(code, reason.toString()));
              },
            ),
          );
        },
      ),
    );
  }

  send(channel: number, payload: Uint8Array, done?: (error?: Error | null) => void): void {
    let from = 0;
    do {
      const part = payload.subarray(from, from + MAX_PAYLOAD);
      from += MAX_PAYLOAD;
      const onSent = from < payload.length ? undefined : done;
      this.#socket.send(Buffer.concat([Uint8Array.of(channel), part]), { binary: true }, onSent);
    } while (from < payload.length);
  }

  pause(): void {
    this.#pauses++;
    if (this.#pauses === 1) this.#socket.pause();
  }

  resume(): void {
    this.#pauses--;
    if (this.#pauses !== 0) return;
    this.#lastHeardMs = this.#clock.now();
    this.#socket.resume();
  }

  close(): void {
    // The answer to our closing could not be read while paused.
    this.#socket.resume();
    this.#socket.close(NORMAL_CLOSURE);
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.setTimer(CLOSE_LIMIT_MS, () => this.#socket.terminate());
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#socket.terminate();
  }

  #onMessage(handlers: ChannelHandlers, data: unknown, isBinary: boolean): void {
    this.#lastHeardMs = this.#clock.now();
    if (!isBinary || !Buffer.isBuffer(data)) {
      this.abort(new TransportError('the server sent a text message where only binary ones are allowed'));
      return;
    }
    const channel = data[0];
    if (channel !== undefined) handlers.onMessage(channel, data.subarray(1));
  }

  #schedulePing(): void {
    this.#cancelTimer = this.#clock.setTimer(PING_EVERY_MS, () => {
      const silentMs = this.#clock.now() - this.#lastHeardMs;
      if (this.#pauses === 0 && silentMs > SILENCE_LIMIT_MS) {
        this.abort(new TransportError(`the server has been silent for ${Math.round(silentMs / 1000)} s`));
        return;
      }
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
      this.#schedulePing();
    });
  }
}

/** Undefined where the server closed in order. */
function closeError(code: number, text: string): Error | undefined {
  if (code === NORMAL_CLOSURE || code === GOING_AWAY || code === NO_STATUS) return undefined;
  return new TransportError(`the stream was cut off (WebSocket code ${code}${text === '' ? '' : `: ${text}`})`);
}

function abortReason(signal: AbortSignal | undefined): Error {
  return signal?.reason instanceof Error ? signal.reason : new TransportError('the stream was aborted');
}
