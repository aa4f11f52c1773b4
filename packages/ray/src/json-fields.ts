import { RAY_LIMITS } from '@manta/base';

/** A JSON object with unchecked fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The text of a member; undefined when it is absent, null or no text. Half a surrogate pair is replaced like the API server does: else a
 * status with it would differ from the stored one for ever, and be written again and again.
 */
export function textOf(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

/** The number of a member; undefined when it is absent, null or no number. */
export function numberOf(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === 'number' ? value : undefined;
}

/** A text from a head, truncated; empty if absent. */
export function messageOf(object: JsonObject, name: string): string {
  const text = textOf(object, name) ?? '';
  return cut(text, RAY_LIMITS.messageCharacters);
}

/** The beginning of a text that is too long. It never ends in half a surrogate pair. */
export function cut(text: string, characters: number): string {
  return (text.length > characters ? `${text.slice(0, characters)}…` : text).toWellFormed();
}

/** The year 10000, with which no API can deal. */
const END_OF_TIME = 253_402_300_800_000;

/** A time in milliseconds since the epoch; 0 when it is absent, or no time that a calendar has. */
export function timeOf(object: JsonObject, name: string): number {
  const time = numberOf(object, name) ?? 0;
  return time > 0 && time < END_OF_TIME ? time : 0;
}

/** The object of a member; an empty one when it is absent or something else. */
export function objectOf(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The members that are texts. */
export function textsOf(object: JsonObject): Readonly<Record<string, string>> {
  const texts = Object.entries(object).filter((member): member is [string, string] => typeof member[1] === 'string');
  return Object.fromEntries(texts);
}

/** Each member that is an object, read by `read`. */
export function mapObjects<T>(
  object: JsonObject,
  read: (member: JsonObject, name: string) => T,
): Readonly<Record<string, T>> {
  const entries = Object.entries(object).flatMap(([name, member]) =>
    isJsonObject(member) ? [[name, read(member, name)] as const] : [],
  );
  return Object.fromEntries(entries);
}
