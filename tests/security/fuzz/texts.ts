import type { Dice } from './dice.ts';

const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '/',
  '%',
  '%zz',
  '%00',
  '%2e%2e%2f',
  '%F0%9F',
  '\u0000',
  '\r\nx: y',
  '\ud800',
  'é€🦈',
  '__proto__',
  'constructor',
  'valueOf',
  'true',
  'null',
  '-1',
  '0',
  '1e309',
  '9007199254740993',
  '99999999999999999999',
  'NaN',
  '0x10',
  '$patch',
  '*',
  '(a+)+$',
  '[',
  '{',
  '"',
  '\\',
  '~1',
  'system:masters',
  'kube-system',
  'default',
];

const LETTERS = 'abcxyz019-_./:%=!,() {}[]"\\\'<>&?#~@|é€\u0000\u007f';

/** A text that programs may stumble over. */
export function oddText(dice: Dice): string {
  if (dice.oneIn(200)) return dice.pick(['x', 'é', '[', '%', 'a=b,']).repeat(dice.roll(5000));
  if (dice.oneIn(3)) return dice.pick(ODD_TEXTS);
  return Array.from({ length: dice.roll(12) }, () => LETTERS[dice.roll(LETTERS.length)]).join('');
}

/** A valid name, of few: so that requests meet each other's objects. */
export function name(dice: Dice): string {
  return `n${dice.roll(40)}`;
}

/** A label selector, valid or nearly so. */
export function labelSelector(dice: Dice): string {
  const key = dice.oneIn(3) ? oddText(dice) : dice.pick(['app', 'tier', 'valueOf', 'example.com/x']);
  const value = dice.oneIn(4) ? oddText(dice) : dice.pick(['a', 'b', '1', '']);
  const form = dice.pick([`${key}=${value}`, `${key}!=${value}`, key, `!${key}`, `${key} in (${value},b)`, `${key}>1`]);
  return dice.oneIn(5) ? `${form},${labelSelector(dice)}` : form;
}

/** A field selector, valid or nearly so. */
export function fieldSelector(dice: Dice): string {
  const field = dice.oneIn(3)
    ? oddText(dice)
    : dice.pick(['metadata.name', 'metadata.namespace', 'spec.nodeName', 'status.phase', 'type']);
  return `${field}${dice.pick(['=', '==', '!=', ''])}${dice.oneIn(2) ? oddText(dice) : name(dice)}`;
}
