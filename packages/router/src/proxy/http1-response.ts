import { ROUTER_LIMITS } from '@manta/base';
import { isFieldValue, isToken } from './field-text.ts';

/** Hears the parts of one answer, in order; of the chunks none is empty. */
export interface ResponseListener {
  head(status: number, headers: string[]): void;
  chunk(bytes: Buffer): void;
  end(trailers: string[]): void;
}

const State = { Head: 0, Fixed: 1, UntilClose: 2, Size: 3, Data: 4, DataEnd: 5, Trailers: 6, Done: 7 } as const;
type State = (typeof State)[keyof typeof State];

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const MAX_HEAD = ROUTER_LIMITS.responseHeadBytes;
const MAX_LINE = ROUTER_LIMITS.chunkLineBytes;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;|$)/;

/** Reads the answers of one connection, one after the other. Strict: what could be understood in two ways is not understood at all. */
export class ResponseParser {
  #state: State = State.Done;
  #listener: ResponseListener | undefined;
  #method = '';
  #partial: Buffer | undefined;
  #left = 0;
  #isPersistent = false;
  #problem: string | undefined;

  /** The next answer is to a request with this method. */
  begin(method: string, listener: ResponseListener): void {
    this.#state = State.Head;
    this.#method = method;
    this.#listener = listener;
    this.#isPersistent = false;
  }

  /** The whole answer has been read. */
  get isDone(): boolean {
    return this.#state === State.Done;
  }

  /** Another answer may follow on the same connection. */
  get isReusable(): boolean {
    return this.isDone && this.#isPersistent && this.#problem === undefined;
  }

  /** Takes what has arrived; what is returned is why it cannot be an answer, after which nothing more may be given. */
  read(bytes: Buffer): string | undefined {
    let rest = this.#partial === undefined ? bytes : Buffer.concat([this.#partial, bytes]);
    this.#partial = undefined;
    while (rest.length > 0) {
      const used = this.#step(rest);
      if (this.#problem !== undefined) return this.#problem;
      if (used === 0) {
        this.#partial = rest;
        return undefined;
      }
      rest = used === rest.length ? EMPTY : rest.subarray(used);
    }
    return undefined;
  }

  /** The connection has ended: true where that ends the answer as it should. */
  close(): boolean {
    if (this.#state !== State.UntilClose) return false;
    this.#finish([]);
    return true;
  }

  /** Parses from here and returns the number of bytes used; 0 if more are needed. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case State.Head:
        return this.#readHead(bytes);
      case State.Fixed:
      case State.Data:
        return this.#readCounted(bytes);
      case State.UntilClose:
        this.#listener?.chunk(bytes);
        return bytes.length;
      case State.Size:
        return this.#readLine(bytes, (line) => this.#beginChunk(line));
      case State.DataEnd:
        return this.#readLine(bytes, (line) => {
          if (line === '') this.#state = State.Size;
          else this.#problem = 'a chunk of the answer is longer than it says';
        });
      case State.Trailers:
        return this.#readTrailers(bytes);
      case State.Done:
        this.#problem = 'more arrived than was asked for';
        return 0;
    }
  }

  #readHead(bytes: Buffer): number {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > MAX_HEAD) {
      if (bytes.length > MAX_HEAD) this.#problem = `the head of the answer is longer than ${MAX_HEAD} bytes`;
      return 0;
    }
    const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
    const [, minor = '', code = ''] = STATUS_LINE.exec(first) ?? [];
    const headers = readFields(lines);
    if (code === '' || headers === undefined) this.#problem = 'the answer is not HTTP/1.1';
    else this.#begin(Number(code), minor === '1', headers);
    return end + HEAD_END.length;
  }

  #begin(status: number, isNew: boolean, headers: string[]): void {
    if (status === 101) this.#problem = 'the answer changes to another protocol, which nobody asked for';
    // An informational response; the final response follows.
    if (status < 200) return;
    const framing = frame(this.#method, status, headers);
    if (typeof framing === 'string') {
      this.#problem = framing;
      return;
    }
    const { connection } = framing;
    const mayStay = isNew ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    this.#isPersistent = mayStay && framing.state !== State.UntilClose;
    this.#left = framing.length;
    this.#state = framing.state;
    this.#listener?.head(status, headers);
    if (framing.state === State.Fixed && framing.length === 0) this.#finish([]);
  }

  #readCounted(bytes: Buffer): number {
    const used = Math.min(this.#left, bytes.length);
    this.#left -= used;
    this.#listener?.chunk(used === bytes.length ? bytes : bytes.subarray(0, used));
    if (this.#left === 0) {
      if (this.#state === State.Fixed) this.#finish([]);
      else this.#state = State.DataEnd;
    }
    return used;
  }

  #readLine(bytes: Buffer, take: (line: string) => void): number {
    const end = bytes.indexOf(LINE_END);
    if (end < 0) {
      if (bytes.length > MAX_LINE) this.#problem = 'a chunk of the answer cannot be read';
      return 0;
    }
    take(bytes.toString('latin1', 0, end));
    return end + LINE_END.length;
  }

  #beginChunk(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) {
      this.#problem = 'a chunk of the answer cannot be read';
      return;
    }
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? State.Trailers : State.Data;
  }

  #readTrailers(bytes: Buffer): number {
    if (bytes[0] === 13 && bytes[1] === 10) {
      this.#finish([]);
      return LINE_END.length;
    }
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      if (bytes.length > MAX_HEAD) this.#problem = 'the trailers of the answer are too long';
      return 0;
    }
    const trailers = readFields(bytes.toString('latin1', 0, end).split('\r\n'));
    if (trailers === undefined) this.#problem = 'the trailers of the answer cannot be read';
    else this.#finish(trailers);
    return end + HEAD_END.length;
  }

  #finish(trailers: string[]): void {
    const listener = this.#listener;
    this.#state = State.Done;
    this.#listener = undefined;
    listener?.end(trailers);
  }
}

const EMPTY = Buffer.alloc(0);

/** Names and values in turn; undefined where a line is none of them. */
function readFields(lines: readonly string[]): string[] | undefined {
  const fields: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    if (!isToken(name) || !isFieldValue(value)) return undefined;
    fields.push(name, value);
  }
  return fields;
}

const UNCLEAR = 'the answer has no clear length';

interface Framing {
  readonly state: typeof State.Fixed | typeof State.UntilClose | typeof State.Size;
  readonly length: number;
  readonly connection: string;
}

/** Where an answer ends, by RFC 9112; a text where its headers contradict each other. */
function frame(method: string, status: number, headers: readonly string[]): Framing | string {
  let length: string | undefined;
  let coding: string | undefined;
  let connection = '';
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase();
    const value = headers[i + 1] ?? '';
    if (name === 'content-length') {
      if (length !== undefined || !/^\d{1,15}$/.test(value)) return UNCLEAR;
      length = value;
    } else if (name === 'transfer-encoding') {
      if (coding !== undefined) return UNCLEAR;
      coding = value.toLowerCase();
    } else if (name === 'connection') connection += ` ${value.toLowerCase()}`;
  }
  if (length !== undefined && coding !== undefined) return UNCLEAR;
  if (method === 'HEAD' || status === 204 || status === 304) return { state: State.Fixed, length: 0, connection };
  if (coding === 'chunked') return { state: State.Size, length: 0, connection };
  if (coding !== undefined && coding !== 'identity') return `the answer is coded as ${coding}, which nobody asked for`;
  if (length === undefined) return { state: State.UntilClose, length: 0, connection };
  return { state: State.Fixed, length: Number(length), connection };
}
