import { RAY_LIMITS } from '@manta/base';
import { cut, type JsonObject } from './json-fields.ts';

/** Counts the characters that are kept of one answer. Once there is no room, longer texts are cut to their beginning. */
export class KeptText {
  #left: number;

  constructor(characters: number) {
    this.#left = characters;
  }

  /** A message: whole while the budget lasts, then truncated to the length of a status. */
  words(text: string): string {
    const kept = cut(text, Math.max(this.#left, RAY_LIMITS.statusCharacters));
    this.#left -= kept.length;
    return kept;
  }

  /** A short status such as `RUNNING`. */
  status(text: string): string {
    const kept = cut(text, RAY_LIMITS.statusCharacters);
    this.#left -= kept.length;
    return kept;
  }

  /** The members of a mapping, under names that are cut like messages. Of names with an equal beginning the last one counts. */
  named(object: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(object).map(([name, member]) => [this.words(name), member]));
  }
}
