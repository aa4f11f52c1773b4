import type { Dice } from './dice.ts';
import { oddText } from './texts.ts';

/** A JSON value of any shape. */
export function oddValue(dice: Dice, depth = 0): unknown {
  const kind = dice.roll(depth > 4 ? 6 : 9);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return dice.oneIn(2);
    case 2:
      return dice.pick([0, -1, 1, 1.5, 2 ** 31, -(2 ** 31), 2 ** 53, 1e300, 80, 65_536]);
    case 3:
    case 4:
    case 5:
      return oddText(dice);
    case 6:
      return Array.from({ length: dice.roll(4) }, () => oddValue(dice, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.roll(4) }, () => [oddText(dice), oddValue(dice, depth + 1)] as const),
      );
  }
}

/** A copy of a JSON value with a few parts replaced, removed or added. */
export function mutated(dice: Dice, value: unknown): unknown {
  if (dice.oneIn(12)) return oddValue(dice);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mutated(dice, item));
    return dice.oneIn(8) ? [...items, ...items] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => (dice.oneIn(20) ? [] : [[key, mutated(dice, part)]]));
  return Object.fromEntries(dice.oneIn(8) ? [...entries, [oddText(dice), oddValue(dice)]] : entries);
}

/** Bytes of a text with some of them changed, removed or doubled. */
export function damaged(dice: Dice, bytes: Buffer): Buffer {
  const at = dice.roll(bytes.length + 1);
  switch (dice.roll(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.roll(4)), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes, bytes.subarray(at)]);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[dice.roll(copy.length)] = dice.roll(256);
      return copy;
    }
  }
}
