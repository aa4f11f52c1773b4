import type { HttpResponse } from '../../http/http-request.ts';

/** An answer that is not sent before it is released: until then it only remembers what shall be sent. */
export class HeldResponse implements HttpResponse {
  readonly #response: HttpResponse;
  /** Undefined once it is released. */
  #held: (() => unknown)[] | undefined = [];
  #code: number | undefined;
  #hasEnded = false;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  get statusCode(): number {
    return this.#code ?? this.#response.statusCode;
  }

  get headersSent(): boolean {
    return this.#code !== undefined;
  }

  get writableEnded(): boolean {
    return this.#hasEnded;
  }

  get writableLength(): number {
    return this.#response.writableLength;
  }

  /** Sends what has been held back, and everything later at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  setHeader(name: string, value: string | readonly string[]): void {
    this.#send(() => this.#response.setHeader(name, value));
  }

  writeHead(code: number, headers: Readonly<Record<string, string>>): void {
    this.#code = code;
    this.#send(() => this.#response.writeHead(code, headers));
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.#held === undefined) return this.#response.write(chunk);
    this.#held.push(() => this.#response.write(chunk));
    return true;
  }

  end(): void {
    this.#hasEnded = true;
    this.#send(() => this.#response.end());
  }

  flushHeaders(): void {
    this.#send(() => this.#response.flushHeaders?.());
  }

  destroy(): void {
    this.#response.destroy();
  }

  on(event: 'close' | 'drain', listener: () => void): void {
    this.#response.on(event, listener);
  }

  off(event: 'close' | 'drain', listener: () => void): void {
    this.#response.off(event, listener);
  }

  #send(send: () => unknown): void {
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }
}
