import { API_SERVER_LIMITS, ownValue } from '@manta/base';
import { dottedPath } from '../field/path.ts';
import type { Schema } from '../object/schema.ts';
import type { Walk } from './fit.ts';
import { hasFormat, heededFormat } from './formats.ts';
import { matchesWithin, type PatternBudget } from './pattern-budget.ts';
import { bound, longerThan, unfit, unplaced, wrongType } from './schema-errors.ts';

/** Checks the length, the pattern and the format of a text; the result counts the checks that passed. */
export function fitString(schema: Schema, text: string, { path, errors, patterns }: Walk): number {
  const found = stringProblem(schema, text, patterns);
  if (found !== undefined) errors.push(found(path));
  const format = heededFormat(schema.type, schema.format);
  if (format === undefined) return 1;
  if (!hasFormat(text, format)) {
    const said = wrongType(format, text)(path);
    errors.push(said);
  }
  return 2;
}

function stringProblem(
  { maxLength, minLength, pattern }: Schema,
  text: string,
  patterns: PatternBudget,
): ReturnType<typeof unfit> | undefined {
  if (maxLength !== undefined && runes(text) > maxLength) return longerThan(maxLength);
  if (minLength !== undefined && runes(text) < minLength)
    return unfit(text, `should be at least ${minLength} chars long`);
  const isMatch = pattern === undefined || matchesWithin(patterns, pattern, text);
  if (isMatch === true) return undefined;
  if (isMatch === false) return unfit(text, `should match '${pattern}'`);
  const limit = `${API_SERVER_LIMITS.patternSteps} steps for all patterns of an object`;
  return unfit(
    `<${text.length} characters>`,
    `takes too long to be matched against '${pattern}': the limit is ${limit}`,
  );
}

function runes(text: string): number {
  return Array.from(text).length;
}

const ranges: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};

/** Checks the bounds of a number; the result counts the checks that passed. */
export function fitNumber(schema: Schema, value: number, { path, errors }: Walk): number {
  const { type, multipleOf, minimum, maximum } = schema;
  const format = heededFormat(type, schema.format);
  if (type === 'integer') {
    const [low, high] = ownValue(ranges, format ?? 'int64') ?? [-Infinity, Infinity];
    if (!Number.isInteger(value) || value < low || value > high) {
      const expected = format === undefined ? `${type} (default format)` : `${type} with format ${format}`;
      errors.push(unplaced(`Checked value must be of type ${expected} in ${dottedPath(path)}`));
    }
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    errors.push(unfit(value, `should be a multiple of ${multipleOf}`)(path));
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    errors.push(unfit(value, bound('greater', minimum, schema.exclusiveMinimum))(path));
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    errors.push(unfit(value, bound('less', maximum, schema.exclusiveMaximum))(path));
  }
  return 2;
}
