import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Watch } from '../conformance/support/target.ts';
import { Normaliser } from './normalise.ts';
import { collectionPath, kinds, type Operation, type Plural } from './operation.ts';
import { Performer } from './perform.ts';
import type { FuzzServer } from './server.ts';

/** Where the two servers went apart. */
export interface Difference {
  /** The operation, or what was looked at in the end. */
  readonly at: string;
  /** How many operations had been carried out, this one included. */
  readonly after: number;
  readonly real: unknown;
  readonly engine: unknown;
}

/** The last object of every kind: when it has arrived, a watch has told everything before it. */
const lastName = 'zz-last';

/** One server's side of a sequence. */
class Side {
  readonly #server: FuzzServer;
  readonly #namespace: string;
  readonly #performer: Performer;
  readonly normaliser = new Normaliser();
  readonly #watches = new Map<Plural, Watch>();

  constructor(server: FuzzServer, namespace: string) {
    this.#server = server;
    this.#namespace = namespace;
    this.#performer = new Performer(server, namespace);
  }

  async open(plurals: readonly Plural[]): Promise<void> {
    await this.#must('POST', '/api/v1/namespaces', { metadata: { name: this.#namespace } });
    await Promise.all(
      plurals.map(async (plural) => {
        const path = collectionPath(plural, this.#namespace);
        const { metadata } = (await this.#must('GET', path)) as { metadata: { resourceVersion: string } };
        const from = `resourceVersion=${metadata.resourceVersion}`;
        this.#watches.set(plural, await this.#server.watch(`${path}?watch=true&${from}`));
      }),
    );
  }

  async perform(operation: Operation): Promise<unknown> {
    const answers = await this.#performer.perform(operation);
    return answers.map((answer) => this.normaliser.answer(answer));
  }

  async stored(plural: Plural): Promise<unknown> {
    return this.normaliser.value(await this.#must('GET', collectionPath(plural, this.#namespace)));
  }

  /** All that the watch of a kind told. */
  async told(plural: Plural): Promise<readonly unknown[]> {
    const body = { ...kinds[plural], metadata: { name: lastName }, ...lastBodies[plural] };
    await this.#must('POST', collectionPath(plural, this.#namespace), body);
    const events = await this.#watches.get(plural)?.until(({ object }) => object.metadata.name === lastName);
    return (events ?? []).slice(0, -1).map((event) => this.normaliser.value(event));
  }

  async close(plurals: readonly Plural[]): Promise<void> {
    for (const watch of this.#watches.values()) watch.close();
    for (const plural of plurals) await this.#server.request('DELETE', collectionPath(plural, this.#namespace));
  }

  async #must(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await this.#server.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }
}

const container = { name: 'a', image: 'a' };
const lastBodies: Readonly<Record<Plural, object>> = {
  rayclusters: { spec: { headGroupSpec: { template: { spec: { containers: [container] } } } } },
  configmaps: {},
  secrets: {},
  services: { spec: { clusterIP: 'None' } },
  pods: { spec: { containers: [container] } },
  jobs: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
};

/** Sends the sequence to both servers, each into a fresh namespace of the same name; the first difference, if there is one. */
export async function compare(
  real: FuzzServer,
  engine: FuzzServer,
  operations: readonly Operation[],
): Promise<Difference | undefined> {
  const namespace = `fuzz-${randomBytes(5).toString('hex')}`;
  const plurals = [...new Set(operations.map(({ plural }) => plural))];
  const sides = [new Side(real, namespace), new Side(engine, namespace)] as const;
  await Promise.all(sides.map((side) => side.open(plurals)));
  try {
    for (const [i, operation] of operations.entries()) {
      const difference = await apart(sides, JSON.stringify(operation), i + 1, (side) => side.perform(operation));
      if (difference !== undefined) return difference;
    }
    return await compareEnds(sides, plurals, operations.length);
  } finally {
    await Promise.all(sides.map((side) => side.close(plurals)));
  }
}

async function compareEnds(
  sides: readonly [Side, Side],
  plurals: readonly Plural[],
  after: number,
): Promise<Difference | undefined> {
  for (const plural of plurals) {
    const difference =
      (await apart(sides, `stored ${plural}`, after, (side) => side.stored(plural))) ??
      (await apart(sides, `watch of ${plural}`, after, (side) => side.told(plural)));
    if (difference !== undefined) return difference;
  }
  return undefined;
}

async function apart(
  [first, second]: readonly [Side, Side],
  at: string,
  after: number,
  look: (side: Side) => Promise<unknown>,
): Promise<Difference | undefined> {
  const [real, engine] = await Promise.all([look(first), look(second)]);
  return isDeepStrictEqual(real, engine) ? undefined : { at, after, real, engine };
}
