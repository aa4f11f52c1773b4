/** First 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const ROUND_CONSTANTS = Int32Array.from(fractionalRoots(64, Math.cbrt));
const INITIAL_STATE = fractionalRoots(8, Math.sqrt);
const BLOCK_BYTES = 64;

/** SHA-256 of a text in UTF-8, as lower-case hex. Written out here since this package runs in browsers, synchronously. */
export function sha256(text: string): string {
  const message = padded(new TextEncoder().encode(text));
  const view = new DataView(message.buffer);
  const state = Int32Array.from(INITIAL_STATE);
  const schedule = new Int32Array(64);
  for (let offset = 0; offset < message.length; offset += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(offset + i * 4);
    extend(schedule);
    compress(state, schedule);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The message, a 1 bit, zeros up to a whole number of blocks, and the length in bits as the last eight bytes. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const message = new Uint8Array(length);
  message.set(bytes);
  message[bytes.length] = 0x80;
  new DataView(message.buffer).setBigUint64(length - 8, BigInt(bytes.length) * 8n);
  return message;
}

function extend(schedule: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const w15 = at(schedule, i - 15);
    const w2 = at(schedule, i - 2);
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    schedule[i] = at(schedule, i - 16) + s0 + at(schedule, i - 7) + s1;
  }
}

function compress(state: Int32Array, schedule: Int32Array): void {
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const t1 = (h + s1 + choice + at(ROUND_CONSTANTS, i) + at(schedule, i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + s0 + majority) | 0;
  }
  const words = [a, b, c, d, e, f, g, h];
  words.forEach((word, i) => (state[i] = at(state, i) + word));
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionalRoots(count: number, root: (prime: number) => number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes.map((prime) => Math.floor((root(prime) % 1) * 2 ** 32));
}
