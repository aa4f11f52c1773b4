import { PendingBytes } from './pending-bytes.ts';
import type { Parse } from './unmanaged.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const ITEMS = Buffer.from('items');

/** Where the next byte belongs: around the list, between two items, or inside one. */
type Place = 'envelope' | 'between' | 'item';

/**
 * Takes a Kubernetes list apart while it arrives: hands out one element of `items` at a time, so that memory does not grow with the
 * list, whichever way the bytes were cut into chunks. Only strings and brackets are understood here; `parse` does the rest.
 */
export class ListItemSplitter {
  readonly #parse: Parse;
  readonly #item = new PendingBytes();
  readonly #envelope = new PendingBytes();
  #place: Place = 'envelope';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** At the top level a string is a key until its colon came. */
  #isKeyNext = false;
  /** How many letters of `items` the current key has matched; -1 when it is another key. */
  #keyMatch = -1;
  #wasItemsKey = false;

  constructor(parse: Parse = JSON.parse) {
    this.#parse = parse;
  }

  /** The items that this chunk completes, parsed. */
  push(chunk: Uint8Array): unknown[] {
    const items: unknown[] = [];
    let at = 0;
    while (at < chunk.length) {
      const start = at;
      if (this.#place === 'envelope') {
        at = this.#scanEnvelope(chunk, at);
        this.#envelope.add(chunk.subarray(start, at));
      } else if (this.#place === 'between') {
        at = this.#scanBetween(chunk, at);
      } else {
        at = this.#scanItem(chunk, at);
        const part = chunk.subarray(start, at);
        if (this.#depth === 0) items.push(this.#finishItem(part));
        else this.#item.add(part);
      }
    }
    return items;
  }

  /** Everything but the items: `{kind, apiVersion, metadata, items: []}`. Throws when the list did not come to its end. */
  end(): unknown {
    if (this.#place !== 'envelope') throw new SyntaxError('the list ended in the middle of its items');
    return JSON.parse(this.#envelope.take(new Uint8Array()));
  }

  #finishItem(lastPart: Uint8Array): unknown {
    this.#place = 'between';
    return this.#parse(this.#item.take(lastPart));
  }

  /** Up to and including the `[` that opens the items, or to the end of the chunk. */
  #scanEnvelope(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isInString) this.#insideEnvelopeString(byte);
      else if (byte === QUOTE) {
        this.#isInString = true;
        this.#keyMatch = this.#depth === 1 && this.#isKeyNext ? 0 : -1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (byte === OPEN_BRACKET && this.#depth === 1 && this.#wasItemsKey) {
          this.#wasItemsKey = false;
          this.#place = 'between';
          return at + 1;
        }
        this.#depth++;
        this.#isKeyNext = this.#depth === 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#depth--;
      else if (byte === COMMA && this.#depth === 1) {
        this.#isKeyNext = true;
        this.#wasItemsKey = false;
      }
    }
    return chunk.length;
  }

  #insideEnvelopeString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) {
      this.#isEscaped = true;
      this.#keyMatch = -1;
    } else if (byte === QUOTE) {
      this.#isInString = false;
      if (this.#depth === 1 && this.#isKeyNext) {
        this.#isKeyNext = false;
        this.#wasItemsKey = this.#keyMatch === ITEMS.length;
      }
    } else if (this.#keyMatch >= 0) this.#keyMatch = byte === ITEMS[this.#keyMatch] ? this.#keyMatch + 1 : -1;
  }

  /** Skips white space and commas; stops before the next item or before the closing bracket, which belongs to the envelope. */
  #scanBetween(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (byte === CLOSE_BRACKET) {
        this.#place = 'envelope';
        // The envelope's scan will count it down again.
        this.#depth = 2;
        return at;
      }
      if (byte === OPEN_BRACE) {
        this.#place = 'item';
        this.#depth = 0;
        return at;
      }
      if (byte !== COMMA && byte > 0x20) throw new SyntaxError('the items of the list are not objects');
    }
    return chunk.length;
  }

  /** Up to and including the item's closing brace (depth is 0 then), or to the end of the chunk. */
  #scanItem(chunk: Uint8Array, from: number): number {
    let depth = this.#depth;
    let isInString = this.#isInString;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
        at++;
        break;
      }
    }
    this.#depth = depth;
    this.#isInString = isInString;
    return at;
  }
}
