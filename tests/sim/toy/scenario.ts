import { resources } from '@manta/kube';
import type { History, Invariant } from '../history.ts';
import type { Backstage, Scenario } from '../scenario.ts';
import type { Bug } from './bugs.ts';
import { runToyOperator } from './controller.ts';
import { CHILDREN, NAMESPACE, STORED, TOY_DEFINITION, TOY_LABEL, TOYS, type Toy } from './toy.ts';

const TOY = { name: 'a', namespace: NAMESPACE };

/** Users scale a toy, edit it and delete its children while the toy operator and everything around it has its troubles. */
export function toyScenario(bug?: Bug): Scenario {
  return {
    name: bug === undefined ? 'toy' : `toy:${bug}`,
    program: { name: 'operator', run: (world, stop) => runToyOperator(world, stop, bug) },
    prepare,
    environment: endLingering,
    moves: { scale, edit, 'delete a child': deleteChildren(1), 'delete children': deleteChildren(3) },
    invariants: {
      'never more children than anybody asked for': neverTooMany,
      'removes no child that is needed': removesNoneNeeded,
      'leaves the spec to the user': leavesSpecAlone,
    },
    goal,
  };
}

async function prepare({ client, choices }: Backstage): Promise<void> {
  await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
  await client.create(resources.customResourceDefinitions, TOY_DEFINITION as never);
  await client.create(TOYS, { metadata: TOY, spec: { replicas: 1 + choices.pick(3) } });
}

async function scale({ client, choices }: Backstage): Promise<void> {
  await client.patch(TOYS, TOY, { type: 'merge', body: { spec: { replicas: 1 + choices.pick(4) } } });
}

async function edit({ client, clock }: Backstage): Promise<void> {
  const annotations = { 'test.manta.dev/edited': String(clock.now()) };
  await client.patch(TOYS, TOY, { type: 'merge', body: { metadata: { annotations } } });
}

function deleteChildren(most: number) {
  return async ({ api, client, choices }: Backstage): Promise<void> => {
    const children = api.store.list(STORED.children).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const first = choices.pick(children.length);
    for (const { metadata } of children.slice(first, first + most)) {
      await client.delete(CHILDREN, { name: metadata.name, namespace: NAMESPACE });
    }
  };
}

/** Children that are deleted go after a while. */
function endLingering({ api, client, clock, choices }: Backstage): void {
  api.store.watch(
    api.store.revision,
    ({ type, object, before }) => {
      const { name, deletionTimestamp } = object.metadata;
      if (type !== 'MODIFIED' || deletionTimestamp === undefined || before?.metadata.deletionTimestamp !== undefined)
        return;
      const body = { metadata: { finalizers: null } };
      const lingerMs = [0, 10, 1_000, 20_000][choices.pick(4)] ?? 0;
      clock.setTimer(
        lingerMs,
        () => void client.patch(CHILDREN, { name, namespace: NAMESPACE }, { type: 'merge', body }),
      );
    },
    STORED.children,
  );
}

/**
 * Names are derived, so that a second try makes no second child: not after a crash, not after a lost answer. Only where a name became
 * free between the two tries, the second may choose another, and then only if the first was in doubt.
 */
const neverTooMany: Invariant = (history) => {
  if (!history.fresh.some(({ type }) => type === 'ADDED')) return undefined;
  const count = living(history).length;
  const most = Math.max(...desires(history));
  const { doubtfulWrites, staleReads, overlaps } = history.facts;
  const isExcused = doubtfulWrites + staleReads + overlaps > 0;
  const gone = history.events.filter(({ type, key }) => type === 'DELETED' && key.resource === STORED.children).length;
  const allowed = most + (isExcused ? gone : 0);
  return count > allowed ? `${count} where ${most} is the most` : undefined;
};

/** As long as users delete no children themselves, those that a user wanted at the least are always there. */
const removesNoneNeeded: Invariant = (history) => {
  const isMark = ({ key, type }: History['events'][number]) => key.resource === STORED.children && type !== 'ADDED';
  if (history.events.some((event) => isMark(event) && event.by === 'user')) return undefined;
  if (!history.fresh.some((event) => isMark(event) && event.by === 'operator')) return undefined;
  const count = living(history).length;
  const least = Math.min(...desires(history));
  return count < least ? `${count} left where ${least} is the least` : undefined;
};

const leavesSpecAlone: Invariant = (history) => {
  const wrong = history.fresh.find(
    ({ key, by, object, before }) =>
      key.resource === STORED.toys &&
      by === 'operator' &&
      before !== undefined &&
      replicasOf(object) !== replicasOf(before),
  );
  return wrong === undefined ? undefined : `replicas became ${replicasOf(wrong.object)}`;
};

function goal(history: History): string | undefined {
  const [toy] = history.list(STORED.toys);
  const wanted = replicasOf(toy);
  const children = history.list(STORED.children);
  const alive = living(history).length;
  if (alive !== wanted || children.length !== wanted) {
    return `${alive} living of ${children.length} children where ${wanted} are wanted`;
  }
  const told = (toy as Toy | undefined)?.status?.replicas;
  return told === wanted ? undefined : `status says ${told} where there are ${wanted}`;
}

function living(history: History) {
  return history
    .list(STORED.children)
    .filter(({ metadata }) => metadata.labels?.[TOY_LABEL] !== undefined && metadata.deletionTimestamp === undefined);
}

/** Every number of children that was ever asked for. */
function desires(history: History): readonly number[] {
  return history.events.filter(({ key }) => key.resource === STORED.toys).map(({ object }) => replicasOf(object));
}

function replicasOf(object: object | undefined): number {
  return (object as Toy | undefined)?.spec?.replicas ?? 0;
}
