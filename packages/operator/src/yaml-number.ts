/**
 * The number that a plain scalar of YAML means to Kubernetes' tools; undefined if it is a string. Integers that a float cannot hold are
 * `bigint`s, up to 64 bits. A dot, `e3` and `1:30` are strings, unlike in YAML 1.1.
 */
export function yamlNumber(word: string): number | bigint | undefined {
  const named = NAMED.get(word.replace(/^\+/, ''));
  if (named !== undefined) return named;
  if (word.startsWith('.')) return floatOf(word);
  const digits = word.replaceAll('_', '');
  return wholeOf(digits) ?? floatOf(digits);
}

const NAMED: ReadonlyMap<string, number> = new Map([
  ...['.inf', '.Inf', '.INF'].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
]);

const WHOLE = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9]\d*))$/;
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;

function wholeOf(text: string): number | bigint | undefined {
  const [, sign, hex, binary, octal, decimal] = WHOLE.exec(text) ?? [];
  const digits = based('0x', hex) ?? based('0b', binary) ?? based('0o', octal) ?? decimal;
  if (digits === undefined) return undefined;
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  const fits = sign === '' ? value < 2n ** 64n : BigInt.asIntN(64, value) === value;
  if (!fits) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function based(prefix: string, digits: string | undefined): string | undefined {
  return digits === undefined ? undefined : prefix + digits;
}

/** What is too big to be a number is a word. */
function floatOf(text: string): number | undefined {
  const value = FLOAT.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
