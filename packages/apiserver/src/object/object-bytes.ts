import type { StoredObject } from './stored-object.ts';

/** So much JSON of objects in recent use is kept, and at most as much again of those in use before them. */
const GENERATION_BYTES = 128 * 1024 * 1024;

/**
 * The JSON of objects that never change: made once for the journal, whoever wrote the object, lists and watches. What has not been asked
 * for while others filled a generation is forgotten, as is what belongs to objects that nobody holds any more.
 */
export class ObjectBytes {
  readonly #generationBytes: number;
  #recent = new WeakMap<object, Buffer>();
  #recentBytes = 0;
  #older = new WeakMap<object, Buffer>();

  constructor(generationBytes: number) {
    this.#generationBytes = generationBytes;
  }

  of(object: object): Buffer {
    const known = this.#recent.get(object);
    if (known !== undefined) return known;
    const bytes = this.#older.get(object) ?? Buffer.from(JSON.stringify(object));
    this.#recent.set(object, bytes);
    this.#recentBytes += bytes.length;
    if (this.#recentBytes > this.#generationBytes) this.#turn();
    return bytes;
  }

  #turn(): void {
    this.#older = this.#recent;
    this.#recent = new WeakMap();
    this.#recentBytes = 0;
  }
}

const shared = new ObjectBytes(GENERATION_BYTES);

/** The JSON of an object that never changes, without a line break. */
export function bytesOf(object: StoredObject): Buffer {
  return shared.of(object);
}

/** The JSON of such an object without its opening brace, apiVersion and kind, which lists of built-in kinds leave out. */
export function untypedBytesOf(object: StoredObject): Buffer {
  const [first, second] = Object.keys(object);
  const isUsual = (first === 'kind' && second === 'apiVersion') || (first === 'apiVersion' && second === 'kind');
  if (isUsual) {
    // Both orders take the same number of bytes.
    const head = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},`;
    return bytesOf(object).subarray(Buffer.byteLength(head));
  }
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return Buffer.from(JSON.stringify(rest)).subarray(1);
}
