import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Amount,
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  multiplyQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityOf,
  quantityValue,
} from './quantity.ts';
import table from './quantity-table.json' with { type: 'json' };

function read(text: string | number): Amount {
  const amount = parseQuantity(text);
  if (!amount.ok) throw new Error(`${text}: ${amount.error}`);
  return amount.value;
}

/** The API server writes amounts from 1000E on without a unit and so loses them; we keep the amount. */
const LOST_BY_THE_SERVER: Readonly<Record<string, string>> = { '1000E': '1000E' };

describe('quantities agree with a real API server', () => {
  it.each(Object.entries(table.canonical))('%s is written %s', (text, canonical) => {
    expect(formatQuantity(read(text))).toBe(LOST_BY_THE_SERVER[text] ?? canonical);
  });

  it.each(Object.entries(table.refused))('%j is refused: %s', (text, error) => {
    expect(parseQuantity(text)).toEqual({ ok: false, error });
  });
});

describe('quantities', () => {
  it('read a JSON number as its text', () => {
    expect(formatQuantity(read(0.5))).toBe('500m');
    expect(formatQuantity(read(4000))).toBe('4k');
    expect(parseQuantity(Number.NaN).ok).toBe(false);
  });

  it('name an exponent that nobody can mean', () => {
    expect(parseQuantity('1e1001')).toEqual({
      ok: false,
      error: 'the exponent of 1e1001 is too large: the limit is 1000',
    });
    expect(parseQuantity('1e-99999999999').ok).toBe(false);
    expect(formatQuantity(read('1e1000'))).toBe('10e999');
  });

  it.each([
    ['whole numbers stay', '3', 3n, 3000n],
    ['a started unit counts', '1001m', 2n, 1001n],
    ['the smallest amount counts as one', '1n', 1n, 1n],
    ['below zero it is rounded away from zero too', '-1.1', -2n, -1100n],
    ['binary units are exact', '1.5Gi', 1_610_612_736n, 1_610_612_736_000n],
    ['nothing overflows', '8Ei', 2n ** 63n - 1n, (2n ** 63n - 1n) * 1000n],
  ])('round up to whole units: %s', (_, text, value, milli) => {
    expect(quantityValue(read(text))).toBe(value);
    expect(quantityMilliValue(read(text))).toBe(milli);
  });

  it('keep the format of what is added to, unless that is zero', () => {
    expect(formatQuantity(addQuantities(read('1Gi'), read('1024')))).toBe('1048577Ki');
    expect(formatQuantity(addQuantities(read('0'), read('2Gi')))).toBe('2Gi');
    expect(formatQuantity(addQuantities(read('0Gi'), read('2048')))).toBe('2048');
    expect(formatQuantity(addQuantities(read('500m'), read('0.5')))).toBe('1');
    expect(formatQuantity(multiplyQuantity(read('1536Mi'), 4))).toBe('6Gi');
    expect(formatQuantity(quantityOf(2048, 'BinarySI'))).toBe('2Ki');
  });

  it('know nothing from something', () => {
    expect(isZeroQuantity(read('0Gi'))).toBe(true);
    expect(isZeroQuantity(read('-0.0'))).toBe(true);
    expect(isZeroQuantity(read('1n'))).toBe(false);
  });
});

const digits = fc.stringMatching(/^[0-9]{0,22}$/);
const suffix = fc.constantFrom(...' n u m k M G T P E Ki Mi Gi Ti Pi Ei e0 e5 E-7 e+12'.split(' '));
const quantityText = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, fc.option(digits), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`)
  .filter((text) => parseQuantity(text).ok);

describe('any quantity', () => {
  it('written and read again is the same amount, and is written the same', () => {
    fc.assert(
      fc.property(quantityText, (text) => {
        const amount = read(text);
        const canonical = formatQuantity({ nanos: amount.nanos, format: amount.format });
        expect(read(canonical).nanos).toBe(amount.nanos);
        expect(formatQuantity(read(canonical))).toBe(canonical);
        expect(read(formatQuantity(amount)).nanos).toBe(amount.nanos);
      }),
    );
  });

  it('is ordered as the fractions it stands for', () => {
    const decimal = fc.tuple(fc.bigInt(-(10n ** 15n), 10n ** 15n), fc.integer({ min: -9, max: 9 }));
    fc.assert(
      fc.property(decimal, decimal, ([a, aExponent], [b, bExponent]) => {
        const left = a * 10n ** BigInt(aExponent + 9);
        const right = b * 10n ** BigInt(bExponent + 9);
        const expected = left < right ? -1 : Number(left > right);
        expect(compareQuantities(read(`${a}e${aExponent}`), read(`${b}e${bExponent}`))).toBe(expected);
      }),
    );
  });

  it('adds in any order and grouping, and multiplies as repeated addition', () => {
    fc.assert(
      fc.property(quantityText, quantityText, quantityText, fc.integer({ min: 1, max: 6 }), (a, b, c, times) => {
        const [x, y, z] = [read(a), read(b), read(c)];
        expect(addQuantities(addQuantities(x, y), z).nanos).toBe(addQuantities(x, addQuantities(y, z)).nanos);
        expect(addQuantities(x, y).nanos).toBe(addQuantities(y, x).nanos);
        const sum = Array.from({ length: times - 1 }).reduce<Amount>((total) => addQuantities(total, x), x);
        expect(multiplyQuantity(x, times).nanos).toBe(sum.nanos);
      }),
    );
  });

  it('is at most its rounded value, and more than one unit less', () => {
    fc.assert(
      fc.property(quantityText, (text) => {
        const { nanos } = read(text);
        const size = nanos < 0n ? -nanos : nanos;
        const value = quantityValue(read(text));
        const rounded = (value < 0n ? -value : value) * 10n ** 9n;
        expect(rounded >= size && rounded - size < 10n ** 9n).toBe(true);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseQuantity(text)).toHaveProperty('ok');
      }),
    );
  });
});
