import { Duplex } from 'node:stream';
import { TransportError } from '../api-error.ts';
import type { Clock } from '../clock.ts';
import type { Connection } from '../transport/connection.ts';
import { type ChannelSocket, openChannelSocket } from './channel-socket.ts';
import { podPath } from './pod-path.ts';

export interface PodPortsOptions {
  readonly namespace: string;
  readonly pod: string;
  /** Ports inside the pod; each gets one stream. */
  readonly ports: readonly number[];
  /** Cuts all streams. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

const PROTOCOL = 'v4.channel.k8s.io';
const PORT_BYTES = 2;

/**
 * Opens one stream to each port of a pod, over one WebSocket, in the order of `ports`. A stream fails with what the node says about
 * its port (nothing listens …). The protocol cannot half-close: ending our side is not seen by the pod, destroying it hangs up once
 * all streams are destroyed. The pod's side ends when the node has closed all of them.
 */
export async function openPodPorts(connection: Connection, options: PodPortsOptions): Promise<readonly Duplex[]> {
  const { ports, signal, clock } = options;
  const path = podPath(
    options,
    'portforward',
    ports.map((port) => ['ports', String(port)]),
  );
  const streams: PortStream[] = [];
  let openCount = ports.length;
  await openChannelSocket({ connection, path, protocols: [PROTOCOL], signal, clock }, (socket) => {
    const onDestroyed = () => {
      openCount--;
      if (openCount === 0) socket.close();
    };
    streams.splice(0, Infinity, ...ports.map((port, index) => new PortStream(socket, port, index, onDestroyed)));
    return {
      onMessage: (channel, payload) => streams[channel >> 1]?.arrived(channel, payload),
      onClose: (error) => {
        for (const stream of streams) stream.hungUp(error);
      },
    };
  });
  return streams;
}

class PortStream extends Duplex {
  readonly #socket: ChannelSocket;
  readonly #port: number;
  readonly #dataChannel: number;
  readonly #onDestroyed: () => void;
  /** Each of the two channels begins with the port's number, which is no data. */
  readonly #toSkip: [data: number, error: number] = [PORT_BYTES, PORT_BYTES];
  #isHolding = false;

  constructor(socket: ChannelSocket, port: number, index: number, onDestroyed: () => void) {
    super();
    this.#socket = socket;
    this.#port = port;
    this.#dataChannel = index * 2;
    this.#onDestroyed = onDestroyed;
    // It may fail before its user had a chance to listen, and the process must not die of it; later readers see the error.
    this.on('error', () => undefined);
  }

  arrived(channel: number, payload: Buffer): void {
    const isData = channel === this.#dataChannel;
    const which = isData ? 0 : 1;
    const skipped = Math.min(this.#toSkip[which], payload.length);
    this.#toSkip[which] -= skipped;
    const content = payload.subarray(skipped);
    if (content.length === 0 || this.destroyed) return;
    if (!isData) {
      this.destroy(new TransportError(`port ${this.#port}: ${content.toString('utf8').trim()}`));
    } else if (!this.push(content) && !this.#isHolding) {
      this.#isHolding = true;
      this.#socket.pause();
    }
  }

  hungUp(error: Error | undefined): void {
    if (this.destroyed) return;
    if (error === undefined) this.push(null);
    else this.destroy(error);
  }

  override _read(): void {
    this.#release();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#socket.send(this.#dataChannel, chunk, callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#release();
    this.#onDestroyed();
    callback(error);
  }

  #release(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#socket.resume();
  }
}
