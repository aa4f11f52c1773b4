import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '@manta/base';
import { type Clock, sleep } from '@manta/kube';
import { NOT_CACHED, SECURITY_HEADERS } from '../http/security-headers.ts';
import type { LogMessage } from '../protocol.ts';
import { LOG_LIMITS, type LogLimits, LogLines } from './log-lines.ts';

/** Where the lines of a log come from. */
export interface LogSource {
  /** What is read, for people: `pod train-x7k2p, container ray-job-submitter`. */
  readonly name: string;
  /** Bytes or text as they arrive. Leaving the loop ends the request for them. */
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** Whether the log is followed: then the newest lines matter, and lines that come too fast are dropped. */
  readonly isFollowed: boolean;
}

export interface LogOptions {
  readonly clock: Clock;
  /** Ends the stream; its reason is the last message. */
  readonly signal: AbortSignal;
  /** Called once the stream is over, whoever ended it. */
  readonly onEnd?: () => void;
  readonly limits?: LogLimits;
}

/**
 * Streams a log as lines of JSON, each a LogMessage. A source that is faster than the browser costs a bounded amount of memory: a followed
 * log drops its oldest lines and counts them, a finite one is read no faster than the browser reads.
 */
export function logResponse(source: LogSource, { clock, signal, onEnd, limits = LOG_LIMITS }: LogOptions): Response {
  const left = new AbortController();
  const messages = logMessages(source, clock, AbortSignal.any([signal, left.signal]), limits);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await messages.next();
      if (done === true) {
        controller.close();
        onEnd?.();
      } else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
    async cancel() {
      left.abort(new Error('the browser left'));
      await messages.return(undefined);
      onEnd?.();
    },
  });
  const headers = { ...SECURITY_HEADERS, ...NOT_CACHED, 'content-type': 'application/x-ndjson' };
  return new Response(body, { headers });
}

const encoder = new TextEncoder();

async function* logMessages(
  { name, chunks, isFollowed }: LogSource,
  clock: Clock,
  signal: AbortSignal,
  limits: LogLimits,
): AsyncGenerator<LogMessage> {
  yield { type: 'source', name };
  const lines = new LogLines(limits);
  const reader = new SourceReader(chunks, lines, isFollowed);
  const stop = () => reader.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const message = lines.take();
      if (message !== undefined) {
        reader.goOn();
        yield message;
        await sleep(clock, limits.pauseMs);
      } else if (reader.end !== undefined) {
        yield reader.end;
        return;
      } else await reader.changed();
    }
    yield { type: 'end', problem: messageOf(signal.reason) };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Reads a source in the background into `lines`. */
class SourceReader {
  readonly #iterator: AsyncIterator<Uint8Array | string>;
  readonly #lines: LogLines;
  readonly #isFollowed: boolean;
  #end: LogMessage | undefined;
  #isStopped = false;
  #wakeWriter: () => void = () => undefined;
  #wakeReader: () => void = () => undefined;

  constructor(chunks: AsyncIterable<Uint8Array | string>, lines: LogLines, isFollowed: boolean) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#lines = lines;
    this.#isFollowed = isFollowed;
    void this.#read();
  }

  /** The last message, once the source has ended. */
  get end(): LogMessage | undefined {
    return this.#end;
  }

  /** Resolves after the next change. Call it without awaiting anything since the last `take`. */
  changed(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeWriter = resolve;
    });
  }

  /** There is room again. */
  goOn(): void {
    this.#wakeReader();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wakeReader();
    this.#wakeWriter();
    void this.#iterator.return?.()?.catch(() => undefined);
  }

  async #read(): Promise<void> {
    const decoder = new StringDecoder('utf8');
    try {
      for (let part = await this.#iterator.next(); part.done !== true; part = await this.#iterator.next()) {
        if (this.#isStopped) return;
        const { value } = part;
        this.#lines.push(typeof value === 'string' ? value : decoder.write(value));
        if (this.#isFollowed) this.#lines.dropSurplus();
        this.#wakeWriter();
        while (this.#lines.isFull && !this.#isFollowed && !this.#isStopped)
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
      }
      this.#end = { type: 'end' };
    } catch (error) {
      this.#end = { type: 'end', problem: messageOf(error) };
    }
    this.#lines.push(decoder.end());
    this.#lines.end();
    this.#wakeWriter();
  }
}
