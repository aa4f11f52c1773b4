import type { ApiRequester } from '../../support/api-request.ts';

/** What one object was last acknowledged to be: its content and revision, or gone. */
interface Acknowledged {
  readonly value: string | undefined;
  readonly revision: number;
}

/** What was sent and not answered yet: it may have happened or not. */
interface Pending {
  readonly name: string;
  readonly value: string | undefined;
}

const PATH = '/api/v1/namespaces/default/configmaps';

/**
 * Writes ConfigMaps of its own one after the other and keeps a book of what was acknowledged. Names of two ledgers must not meet.
 */
export class Ledger {
  readonly #prefix: string;
  readonly #random: () => number;
  readonly #book = new Map<string, Acknowledged>();
  #pending: Pending | undefined;
  #writes = 0;
  /** The highest revision that was ever heard of. */
  highest = 0;

  constructor(prefix: string, random: () => number) {
    this.#prefix = prefix;
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#writes;
  }

  /** Writes until the server is gone. */
  async writeUntilCut(request: ApiRequester): Promise<void> {
    for (;;) {
      const name = `${this.#prefix}-${Math.floor(this.#random() * 12)}`;
      const before = this.#book.get(name)?.value;
      const value = before !== undefined && this.#random() < 0.25 ? undefined : `${this.#writes}-${this.#random()}`;
      this.#pending = { name, value };
      const answer = await send(request, name, before, value).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status >= 300) throw new Error(`${name}: ${answer.status} ${answer.text}`);
      this.#note(name, value, revisionOf(answer.body));
    }
  }

  /** Compares the book with what the server has now, and takes over what became of the write that was under way. */
  check(stored: ReadonlyMap<string, { readonly value: string; readonly revision: number }>): readonly string[] {
    const wrong: string[] = [];
    for (const name of this.#names(stored)) {
      const now = stored.get(name);
      const then = this.#book.get(name);
      const isPending = this.#pending?.name === name && this.#pending.value === now?.value;
      if (now?.value !== then?.value && !isPending)
        wrong.push(
          `${name}: acknowledged ${then?.value ?? 'gone'} at ${then?.revision}, found ${now?.value ?? 'gone'}`,
        );
      else if (now !== undefined && then?.value === now.value && now.revision !== then.revision)
        wrong.push(`${name}: acknowledged at ${then.revision}, found at ${now.revision}`);
      this.#book.set(name, { value: now?.value, revision: now?.revision ?? then?.revision ?? 0 });
    }
    this.#pending = undefined;
    return wrong;
  }

  #names(stored: ReadonlyMap<string, unknown>): ReadonlySet<string> {
    const mine = [...stored.keys()].filter((name) => name.startsWith(`${this.#prefix}-`));
    return new Set([...this.#book.keys(), ...mine]);
  }

  #note(name: string, value: string | undefined, revision: number): void {
    // What a deletion answers carries the revision of the deletion only for objects that linger.
    if (value !== undefined && revision <= this.highest)
      throw new Error(`${name}: revision ${revision} after ${this.highest}`);
    this.highest = Math.max(this.highest, revision);
    this.#book.set(name, { value, revision });
    this.#pending = undefined;
    this.#writes += 1;
  }
}

function send(request: ApiRequester, name: string, before: string | undefined, value: string | undefined) {
  if (value === undefined) return request('DELETE', `${PATH}/${name}`);
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
  return before === undefined ? request('POST', PATH, object) : request('PUT', `${PATH}/${name}`, object);
}

function revisionOf(body: unknown): number {
  return Number((body as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion ?? 0);
}

/** All ConfigMaps there are, and the list's own revision. */
export async function readAll(request: ApiRequester) {
  const { body } = await request('GET', PATH);
  const { items, metadata } = body as {
    readonly items: readonly { metadata: { name: string; resourceVersion: string }; data?: { value?: string } }[];
    readonly metadata: { readonly resourceVersion: string };
  };
  const stored = new Map(
    items.map((item) => [
      item.metadata.name,
      { value: item.data?.value ?? '', revision: Number(item.metadata.resourceVersion) },
    ]),
  );
  return { stored, revision: Number(metadata.resourceVersion) };
}
