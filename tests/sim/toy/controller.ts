import type { ConfigMap } from '@manta/api';
import { isAlreadyExists, isConflict, isNotFound, type ObjectRef } from '@manta/kube';
import {
  createController,
  createInformer,
  createManager,
  done,
  fromInformer,
  type Informer,
  type ReconcileContext,
  type ReconcileResult,
  toKey,
  type World,
} from '@manta/runtime';
import type { Bug } from './bugs.ts';
import { type ChildRecord, planToy, type ToyPlan, type ToyRecord } from './plan.ts';
import { CHILDREN, LINGER, TOY_LABEL, TOYS, type Toy } from './toy.ts';

/** The toy operator: keeps as many children as each toy asks for, built of the same parts as the real one. */
export async function runToyOperator(world: World, stop: AbortSignal, bug?: Bug): Promise<void> {
  const toys = createInformer(world, { type: TOYS, project: toyRecord });
  const children = createInformer(world, {
    type: CHILDREN,
    labelSelector: TOY_LABEL,
    project: childRecord,
    indexes: { toy: ({ toy }: ChildRecord) => [toy] },
  });
  const reconciler = new ToyReconciler(world, toys, children, bug);
  const controller = createController(world, {
    name: 'toy',
    concurrency: 4,
    sources: [
      fromInformer(toys),
      fromInformer(children, {
        keys: ({ toy }, key) => [toKey(key.split('/')[0], toy)],
        when: ({ after }) => bug !== 'forgets-deletions' || after !== undefined,
      }),
    ],
    reconcile: (_key, context) => reconciler.reconcile(context),
  });
  await createManager(world, { informers: [toys, children], controllers: [controller] }).run(stop);
}

class ToyReconciler {
  readonly #world: World;
  readonly #toys: Informer<ToyRecord>;
  readonly #children: Informer<ChildRecord, 'toy'>;
  readonly #bug: Bug | undefined;

  constructor(world: World, toys: Informer<ToyRecord>, children: Informer<ChildRecord, 'toy'>, bug: Bug | undefined) {
    this.#world = world;
    this.#toys = toys;
    this.#children = children;
    this.#bug = bug;
  }

  async reconcile(context: ReconcileContext): Promise<ReconcileResult> {
    const seen = context.freshness === 'live' ? await this.#readLive(context) : this.#readCache(context);
    if (seen === undefined) return done;
    const plan = planToy(seen.toy, seen.children, this.#bug, this.#world.random);
    await this.#act(this.#remembering(context), seen.toy, plan);
    return done;
  }

  #readCache({ key, name }: ReconcileContext): Picture | undefined {
    const toy = this.#toys.get(key);
    return toy === undefined ? undefined : { toy, children: this.#children.by('toy', name) };
  }

  async #readLive({ name, namespace, signal }: ReconcileContext): Promise<Picture | undefined> {
    const { client } = this.#world;
    try {
      const toy = await client.get(TOYS, { name, namespace }, { signal });
      const selection = { namespace, labelSelector: `${TOY_LABEL}=${name}`, signal };
      const { items } = await client.list(CHILDREN, selection);
      return { toy: toyRecord(toy), children: items.map(childRecord) };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Waits for all writes to end before it fails: the next attempt must not start while one is still under way. */
  async #act(context: ReconcileContext, toy: ToyRecord, { create, remove, status }: ToyPlan): Promise<void> {
    const results = await Promise.allSettled([
      ...create.map((name) => this.#create(context, toy, name)),
      ...remove.map((child) => this.#remove(context, child)),
      ...(status === undefined ? [] : [this.#writeStatus(context, toy, status)]),
    ]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #create(context: ReconcileContext, toy: ToyRecord, name: string): Promise<void> {
    const { namespace, signal } = context;
    const metadata = { name, namespace, labels: { [TOY_LABEL]: toy.name }, finalizers: [LINGER] };
    try {
      context.wrote(this.#children, await this.#world.client.create(CHILDREN, { metadata } as ConfigMap, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // We made it before a crash or a lost answer. The cache may never show it, should it be gone by the time the cache catches up.
      context.wrote(this.#children, await this.#world.client.get(CHILDREN, { name, namespace }, { signal }));
    }
  }

  async #remove(context: ReconcileContext, { name, uid }: ChildRecord): Promise<void> {
    const { namespace, signal } = context;
    try {
      const answer = await this.#world.client.delete(CHILDREN, { name, namespace }, { preconditions: { uid }, signal });
      context.deleted(this.#children, toKey(namespace, name), uid, answer);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #writeStatus(context: ReconcileContext, toy: ToyRecord, replicas: number): Promise<void> {
    const { name, namespace, signal } = context;
    const ref: ObjectRef = { name, namespace };
    const { client } = this.#world;
    const status = { replicas };
    const lock = { metadata: { resourceVersion: toy.resourceVersion } };
    if (this.#bug === 'overwrites') {
      await client.patch(TOYS, ref, { type: 'merge', body: { spec: { replicas: toy.replicas } } }, { signal });
    }
    const body = this.#bug === 'overwrites' ? { status } : { ...lock, status };
    try {
      context.wrote(
        this.#toys,
        await client.patch(TOYS, ref, { type: 'merge', body }, { subresource: 'status', signal }),
      );
    } catch (error) {
      if (this.#bug !== 'swallows-conflicts' || !isConflict(error)) throw error;
    }
  }

  /** The context, or one that forgets what a bug makes it forget. */
  #remembering(context: ReconcileContext): ReconcileContext {
    if (this.#bug === 'stale-cache') return { ...context, wrote: () => undefined, deleted: () => undefined };
    if (this.#bug !== 'lost-expectation') return context;
    let isFirst = true;
    return {
      ...context,
      wrote: (...args) => {
        if (isFirst) context.wrote(...args);
        isFirst = false;
      },
    };
  }
}

interface Picture {
  readonly toy: ToyRecord;
  readonly children: readonly ChildRecord[];
}

function toyRecord({ metadata, spec, status }: Toy): ToyRecord {
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    resourceVersion: metadata?.resourceVersion ?? '',
    replicas: spec?.replicas ?? 0,
    statusReplicas: status?.replicas,
  };
}

function childRecord({ metadata }: ConfigMap): ChildRecord {
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    toy: metadata?.labels?.[TOY_LABEL] ?? '',
    isTerminating: metadata?.deletionTimestamp !== undefined,
  };
}
