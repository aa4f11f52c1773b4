import { ownValue } from '@manta/base';
import { invalid, notSupported, required } from '../../field/cause.ts';
import type { CheckText } from '../../field/names.ts';
import type { Json, JsonObject } from '../../object/json.ts';
import type { FieldCause } from '../../status/status-error.ts';
import { number, parts, text } from '../read.ts';

/** What is wrong with a value, and where. */
export type Causes = readonly FieldCause[];

/** Checks an object that stands at a path. */
export type CheckPart = (part: JsonObject, path: string) => Causes;

/** Checks every object that a field lists. */
export function checkParts(object: JsonObject | undefined, key: string, path: string, check: CheckPart): Causes {
  return parts(object, key).flatMap((item, index) => check(item, `${path}.${key}[${index}]`));
}

/** Checks a text that must be there. */
export function checkNamed(object: JsonObject, key: string, path: string, check: CheckText): Causes {
  const value = text(object, key);
  return value === '' ? [required(`${path}.${key}`)] : checkValue(value, `${path}.${key}`, check);
}

/** Checks a text that may be missing. */
export function checkOptional(object: JsonObject | undefined, key: string, path: string, check: CheckText): Causes {
  const value = text(object, key);
  return value === '' ? [] : checkValue(value, `${path}.${key}`, check);
}

/** Checks a text. */
export function checkValue(value: string, field: string, check: CheckText): Causes {
  return check(value).map((problem) => invalid(field, value, problem));
}

/** The field must have one of these values. */
export function checkOneOf(object: JsonObject, key: string, path: string, allowed: readonly string[]): Causes {
  const value = text(object, key);
  if (value === '') return [required(`${path}.${key}`)];
  return allowed.includes(value) ? [] : [notSupported(`${path}.${key}`, value, allowed)];
}

/** The field may be missing, but must have one of these values where it is there. */
export function checkOptionalOneOf(object: JsonObject, key: string, path: string, allowed: readonly string[]): Causes {
  const value = ownValue(object, key);
  if (typeof value !== 'string' || allowed.includes(value)) return [];
  return [notSupported(`${path}.${key}`, value, allowed)];
}

/** The field must be there. */
export function checkPresent(object: JsonObject, key: string, path: string): Causes {
  return text(object, key) === '' ? [required(`${path}.${key}`)] : [];
}

/** A number that is there must not be negative. */
export function checkNonNegative(object: JsonObject | undefined, key: string, path: string): Causes {
  const value = number(object, key);
  return value === undefined || value >= 0
    ? []
    : [invalid(`${path}.${key}`, value, 'must be greater than or equal to 0')];
}

/** A number that is there must lie in a range. */
export function checkRange(
  object: JsonObject | undefined,
  key: string,
  path: string,
  low: number,
  high: number,
): Causes {
  const value = number(object, key);
  return value === undefined ? [] : checkInRange(value, `${path}.${key}`, low, high);
}

/** A number must lie in a range. */
export function checkInRange(value: number, field: string, low: number, high: number): Causes {
  return value >= low && value <= high ? [] : [invalid(field, value, `must be between ${low} and ${high}, inclusive`)];
}

const maxPort = 65_535;

/** A port that must be a valid number. */
export function checkPort(port: number, field: string): Causes {
  return checkInRange(port, field, 1, maxPort);
}

/** A port given by number or by name. */
export function checkPortOrName(port: Json | undefined, field: string): Causes {
  if (typeof port === 'string') return checkValue(port, field, checkPortName);
  return checkPort(typeof port === 'number' ? port : 0, field);
}

/** The name of a port. */
export const checkPortName: CheckText = (name) => {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen');
  return problems;
};
