import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { CelCostError, CelMeter } from './cel-meter.ts';

const meterOf = () => new CelMeter(new Environment({ enableOptionalTypes: true }).registerVariable('self', 'dyn'));
const costOf = (expression: string, self: unknown, limit = 1_000_000) => {
  const meter = meterOf();
  const program = meter.compile(expression);
  return meter.run(limit, () => program({ self }));
};
const ints = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i));

describe('CelMeter', () => {
  it('gives the value of an expression', () => {
    expect(costOf('self + 1', 2n).value).toBe(3n);
    expect(costOf('self // a comment', 'x').value).toBe('x');
  });

  it('counts in proportion to the items of a loop', () => {
    const [small, large] = [100, 1000].map((count) => costOf('self.all(x, x >= 0)', ints(count)).cost);
    expect((large ?? 0) / (small ?? 1)).toBeGreaterThan(9);
    expect((large ?? 0) / (small ?? 1)).toBeLessThan(11);
  });

  it('counts in proportion to the size of compared values', () => {
    const [small, large] = [100, 1000].map((count) => costOf('[self] == [self]', ints(count)).cost);
    expect((large ?? 0) / (small ?? 1)).toBeGreaterThan(5);
  });

  it('ends an evaluation at its limit, also inside of a quantifier that ignores errors', () => {
    expect(() => costOf('self.all(x, self.all(y, x + y >= 0))', ints(100), 1000)).toThrow(CelCostError);
    expect(() => costOf('self.exists(x, self.exists(y, x / y == -1))', ints(100), 1000)).toThrow(CelCostError);
  });

  it('gives other errors as they are', () => {
    expect(() => costOf('self.absent', {})).toThrow('No such key: absent');
    expect(() => costOf("self.matches('(')", 'x')).toThrow('Invalid regular expression: (');
  });

  it('evaluates again after a limit was reached', () => {
    const meter = meterOf();
    const program = meter.compile('self.all(x, x >= 0)');
    expect(() => meter.run(10, () => program({ self: ints(100) }))).toThrow(CelCostError);
    expect(meter.run(10_000, () => program({ self: ints(100) })).value).toBe(true);
  });
});
