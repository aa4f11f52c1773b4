import { compareQuantities, parseQuantity } from '@manta/api';
import { Environment } from '@marcbachmann/cel-js';
import { registerNetwork } from './cel-network.ts';
import { CelMeter } from './cel-meter.ts';
import { findPattern } from './pattern.ts';

/** Called by expensive functions with their cost before they run. */
export type Charging = Pick<CelMeter, 'charge' | 'chargePattern'>;

const free: Charging = { charge: () => undefined, chargePattern: () => undefined };

/** Evaluates rules of CRDs within a budget. */
export function createCelMeter(): CelMeter {
  const meter: CelMeter = new CelMeter(createCelEnvironment(() => meter));
  return meter;
}

/** The variables and functions that rules of CRDs can use. */
export function createCelEnvironment(charging: () => Charging = () => free): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn');
  registerStrings(environment, charging);
  registerLists(environment);
  registerQuantities(environment);
  registerNetwork(environment);
  return environment;
}

function registerStrings(environment: Environment, charging: () => Charging): void {
  environment.registerFunction('string.find(string): string', (text: string, pattern: string) => {
    charging().chargePattern(text, pattern);
    return findPattern(pattern, text, 1)[0] ?? '';
  });
  environment.registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
    charging().chargePattern(text, pattern);
    return findPattern(pattern, text);
  });
  environment.registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => {
    // Before the text exists: an empty `from` is found between all characters.
    charging().charge((text.split(from).length * to.length + text.length) / 10);
    return text.replaceAll(from, to);
  });
  environment.registerFunction('string.charAt(int): string', (text: string, at: bigint) => text.charAt(Number(at)));
}

function registerLists(environment: Environment): void {
  environment.registerFunction('list.isSorted(): bool', (list: readonly Comparable[]) =>
    list.every((item, index) => index === 0 || (list[index - 1] ?? item) <= item),
  );
  environment.registerFunction('list.sum(): dyn', (list: readonly (number | bigint)[]) => {
    return typeof list[0] === 'number' ? list.reduce((sum: number, each) => sum + Number(each), 0) : sumOf(list);
  });
  environment.registerFunction('list.min(): dyn', (list: readonly Comparable[]) => pick(list, (a, b) => a < b));
  environment.registerFunction('list.max(): dyn', (list: readonly Comparable[]) => pick(list, (a, b) => a > b));
  environment.registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
    BigInt(list.indexOf(item)),
  );
}

type Comparable = number | bigint | string;

function sumOf(list: readonly (number | bigint)[]): bigint {
  return list.reduce((sum: bigint, each) => sum + BigInt(each), 0n);
}

function pick(list: readonly Comparable[], isBetter: (a: Comparable, b: Comparable) => boolean): Comparable {
  const [first, ...rest] = list;
  if (first === undefined) throw new Error('min/max called on empty list');
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first);
}

/** A quantity inside CEL. */
class CelQuantity {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  compare(other: CelQuantity): number {
    const [a, b] = [parseQuantity(this.text), parseQuantity(other.text)];
    return a.ok && b.ok ? compareQuantities(a.value, b.value) : 0;
  }
}

function registerQuantities(environment: Environment): void {
  environment.registerType('Quantity', { ctor: CelQuantity, fields: {} });
  environment.registerFunction('isQuantity(string): bool', (text: string) => parseQuantity(text).ok);
  environment.registerFunction('quantity(string): Quantity', (text: string) => new CelQuantity(text));
  environment.registerFunction(
    'Quantity.isGreaterThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => a.compare(b) > 0,
  );
  environment.registerFunction(
    'Quantity.isLessThan(Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => a.compare(b) < 0,
  );
  environment.registerFunction('Quantity.compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) =>
    BigInt(a.compare(b)),
  );
}
