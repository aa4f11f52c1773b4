import { isDeepStrictEqual } from 'node:util';
import type { Question } from '../question.ts';
import type { Entry } from './entry.ts';

/** Where an owner's interest lies. */
export interface OwnedEntry {
  readonly entry: Entry;
  readonly url: string;
  readonly session: string;
}

/** Which questions each owner is interested in. */
export class OwnedEntries {
  readonly #byOwner = new Map<string, Map<Entry, OwnedEntry>>();

  /** Notes an interest. */
  add(owner: string, owned: OwnedEntry): void {
    const own = this.#byOwner.get(owner) ?? new Map<Entry, OwnedEntry>();
    own.set(owned.entry, owned);
    this.#byOwner.set(owner, own);
  }

  /** Forgets an interest that has ended. */
  remove(owner: string, entry: Entry): void {
    const own = this.#byOwner.get(owner);
    own?.delete(entry);
    if (own?.size === 0) this.#byOwner.delete(owner);
  }

  /** Ends the owner's interests, or those in one question. */
  release(owner: string, question?: Question): void {
    this.#end(owner, ({ entry }) => question === undefined || isDeepStrictEqual(entry.question, question));
  }

  /** Ends the owner's interests in former lives of a head. */
  dropOtherSessions(owner: string, url: string, session: string): void {
    this.#end(owner, (owned) => owned.url === url && owned.session !== session);
  }

  #end(owner: string, isMeant: (owned: OwnedEntry) => boolean): void {
    for (const owned of [...(this.#byOwner.get(owner)?.values() ?? [])].filter(isMeant)) {
      this.remove(owner, owned.entry);
      owned.entry.unwant(owner);
    }
  }
}
