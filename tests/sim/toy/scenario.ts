import type { StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import type { History, Invariant, SimEvent } from '../history.ts';
import type { Backstage, Scenario } from '../scenario.ts';
import type { Bug } from './bugs.ts';
import { runToyOperator } from './controller.ts';
import { CHILDREN, NAMESPACE, STORED, TOY_DEFINITION, TOY_LABEL, TOYS, type Toy } from './toy.ts';

const NAMES = ['a', 'b'];
const refOf = (name = 'a') => ({ name, namespace: NAMESPACE });

/** One of the toys. */
const anyOf = ({ choices }: Backstage) => refOf(NAMES[choices.pick(NAMES.length)]);

/** Users scale a toy, edit it and delete its children while the toy operator and everything around it has its troubles. */
export function toyScenario(bug?: Bug, faults?: Scenario['faults']): Scenario {
  return {
    ...(faults === undefined ? {} : { faults }),
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
  await client.create(resources.customResourceDefinitions, TOY_DEFINITION);
  for (const name of NAMES)
    await client.create(TOYS, { metadata: refOf(name), spec: { replicas: 1 + choices.pick(3) } });
}

async function scale(backstage: Backstage): Promise<void> {
  const { client, choices } = backstage;
  await client.patch(TOYS, anyOf(backstage), { type: 'merge', body: { spec: { replicas: 1 + choices.pick(4) } } });
}

async function edit(backstage: Backstage): Promise<void> {
  const { client, clock } = backstage;
  const annotations = { 'test.manta.dev/edited': String(clock.now()) };
  await client.patch(TOYS, anyOf(backstage), { type: 'merge', body: { metadata: { annotations } } });
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
  const { doubtfulWrites, staleReads, overlaps } = history.facts;
  const isExcused = doubtfulWrites + staleReads + overlaps > 0;
  return firstProblem((toy) => {
    const count = living(history, toy).length;
    const most = Math.max(...desires(history, toy));
    const gone = history.events.filter(({ type, object }) => type === 'DELETED' && toyOf(object) === toy).length;
    return count > most + (isExcused ? gone : 0) ? `${toy} has ${count} where ${most} is the most` : undefined;
  });
};

/** As long as users delete no children themselves, those that a user wanted at the least are always there. */
const removesNoneNeeded: Invariant = (history) => {
  const isRemoval = ({ type, object }: SimEvent) => type !== 'ADDED' && toyOf(object) !== undefined;
  if (!history.fresh.some((event) => isRemoval(event) && event.by === 'operator')) return undefined;
  return firstProblem((toy) => {
    const byUser = history.events.some(
      (event) => isRemoval(event) && event.by === 'user' && toyOf(event.object) === toy,
    );
    const removed = history.fresh.some((event) => isRemoval(event) && toyOf(event.object) === toy);
    const count = living(history, toy).length;
    const least = Math.min(...desires(history, toy));
    return removed && !byUser && count < least ? `${toy} has ${count} left where ${least} is the least` : undefined;
  });
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
  return firstProblem((name) => {
    const toy = history.list(STORED.toys).find(({ metadata }) => metadata.name === name);
    const wanted = replicasOf(toy);
    const children = history.list(STORED.children).filter((object) => toyOf(object) === name);
    const alive = living(history, name).length;
    if (alive !== wanted || children.length !== wanted) {
      return `${name} has ${alive} living of ${children.length} children where ${wanted} are wanted`;
    }
    const told = statusOf(toy)?.replicas;
    return told === wanted ? undefined : `status of ${name} says ${told} where there are ${wanted}`;
  });
}

function firstProblem(check: (toy: string) => string | undefined): string | undefined {
  return NAMES.map(check).find((problem) => problem !== undefined);
}

function living(history: History, toy: string): readonly StoredObject[] {
  return history
    .list(STORED.children)
    .filter((object) => toyOf(object) === toy && object.metadata.deletionTimestamp === undefined);
}

/** The toy that a child belongs to; undefined for what is no child. */
function toyOf({ metadata }: StoredObject): string | undefined {
  return metadata.labels?.[TOY_LABEL];
}

/** Every number of children that was ever asked for. */
function desires(history: History, toy: string): readonly number[] {
  return history.events
    .filter(({ key }) => key.resource === STORED.toys && key.name === toy)
    .map(({ object }) => replicasOf(object));
}

function statusOf(toy: Toy | undefined): Toy['status'] {
  return toy?.status;
}

function replicasOf(toy: Toy | undefined): number {
  return toy?.spec?.replicas ?? 0;
}
