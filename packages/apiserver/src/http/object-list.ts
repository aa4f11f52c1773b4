import type { JsonObject } from '../object/json.ts';
import { bytesOf, untypedBytesOf } from '../object/object-bytes.ts';
import type { StoredObject } from '../object/stored-object.ts';

const BRACE = Buffer.from('{');
const COMMA = Buffer.from(',');
const COMMA_BRACE = Buffer.from(',{');
const END = Buffer.from(']}\n');

/** A list of whole objects on its way to a client; its JSON is put together from that of its items. */
export class ObjectList {
  readonly #head: JsonObject;
  readonly #items: readonly StoredObject[];
  readonly #isTyped: boolean;

  /** `head` is everything but the items; `isTyped`: items have apiVersion and kind, as custom resources do. */
  constructor(head: JsonObject, items: readonly StoredObject[], isTyped: boolean) {
    this.#head = head;
    this.#items = items;
    this.#isTyped = isTyped;
  }

  /** What a list looks like to those who do not read compact JSON. */
  toJSON(): unknown {
    const untyped = ({ apiVersion: _apiVersion, kind: _kind, ...rest }: StoredObject) => rest;
    return { ...this.#head, items: this.#isTyped ? this.#items : this.#items.map(untyped) };
  }

  /** The list's JSON and a line break, in pieces. */
  pieces(): readonly Uint8Array[] {
    const pieces: Uint8Array[] = [Buffer.from(`${JSON.stringify(this.#head).slice(0, -1)},"items":[`)];
    const [opening, between] = this.#isTyped ? [undefined, COMMA] : [BRACE, COMMA_BRACE];
    for (const [i, item] of this.#items.entries()) {
      const separator = i === 0 ? opening : between;
      if (separator !== undefined) pieces.push(separator);
      pieces.push(this.#isTyped ? bytesOf(item) : untypedBytesOf(item));
    }
    pieces.push(END);
    return pieces;
  }
}
