import { compareQuantities, parseQuantity } from '@manta/api';
import { Environment } from '@marcbachmann/cel-js';
import { registerNetwork } from './cel-network.ts';
import { compilePattern } from './pattern.ts';

/** The variables and functions that rules of CRDs can use. */
export function createCelEnvironment(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', 'dyn');
  registerStrings(environment);
  registerLists(environment);
  registerQuantities(environment);
  registerNetwork(environment);
  return environment;
}

function registerStrings(environment: Environment): void {
  environment.registerFunction('string.find(string): string', (text: string, pattern: string) => {
    return compilePattern(pattern)?.exec(text)?.[0] ?? '';
  });
  environment.registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => {
    const compiled = compilePattern(pattern);
    if (compiled === undefined) return [];
    return [...text.matchAll(new RegExp(compiled.source, `${compiled.flags}g`))].map(([found]) => found);
  });
  environment.registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
    text.replaceAll(from, to),
  );
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
