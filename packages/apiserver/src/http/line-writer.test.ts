import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HttpResponse } from './http-request.ts';
import { LineWriter } from './line-writer.ts';

/** A client that takes what it is given, or lets it wait. */
class Client implements HttpResponse {
  readonly statusCode = 200;
  readonly headersSent = true;
  writableEnded = false;
  writableLength = 0;
  isGone = false;
  readonly chunks: Uint8Array[] = [];
  readonly isReading: boolean;

  constructor(isReading = true) {
    this.isReading = isReading;
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  setHeader(): void {}
  writeHead(): void {}
  on(): void {}
  off(): void {}

  write(chunk: Uint8Array): boolean {
    this.chunks.push(chunk);
    if (!this.isReading) this.writableLength += chunk.length;
    return this.isReading;
  }

  end(): void {
    this.writableEnded = true;
  }

  destroy(): void {
    this.isGone = true;
  }
}

const [start, end] = [Buffer.from('<'), Buffer.from('>\n')];
const line = (text: string) => [start, Buffer.from(text), end] as const;

describe('LineWriter', () => {
  it('holds back what comes before the headers, and writes what one turn brings at once', async () => {
    const client = new Client();
    const lines = new LineWriter(client);
    lines.write(...line('a'));
    lines.write(...line('b'));
    await nextTurn();
    expect(client.chunks).toHaveLength(0);
    lines.open();
    expect(client.text).toBe('<a>\n<b>\n');
    lines.write(...line('c'));
    lines.write(...line('d'));
    await nextTurn();
    expect(client.text).toBe('<a>\n<b>\n<c>\n<d>\n');
    expect(client.chunks).toHaveLength(2);
  });

  it('sends what is left before it ends, and nothing afterwards', async () => {
    const client = new Client();
    const lines = new LineWriter(client);
    lines.open();
    lines.write(...line('a'));
    lines.end();
    lines.write(...line('b'));
    await nextTurn();
    expect(client).toMatchObject({ text: '<a>\n', writableEnded: true });
  });

  it('puts the same lines together once for all who wait for them', async () => {
    const clients = [new Client(), new Client(), new Client()];
    const writers = clients.map((client) => new LineWriter(client));
    const [a, b] = [line('a'), line('b')];
    for (const writer of writers) {
      writer.open();
      writer.write(...a);
      writer.write(...b);
    }
    await nextTurn();
    expect(clients.map(({ text }) => text)).toEqual(Array(3).fill('<a>\n<b>\n'));
    expect(new Set(clients.map(({ chunks }) => chunks[0])).size).toBe(1);
  });

  it('lets a client go that does not read, but never for the state it begins with', async () => {
    const client = new Client(false);
    const lines = new LineWriter(client);
    const large = Buffer.alloc(48 * 1024 * 1024);
    lines.write(large);
    lines.write(large);
    lines.open();
    expect(client.isGone).toBe(false);
    lines.write(large);
    await nextTurn();
    expect(client.isGone).toBe(false);
    lines.write(large);
    await nextTurn();
    expect(client.isGone).toBe(true);
  });
});
