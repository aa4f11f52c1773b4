import type { RayCluster } from '@manta/api';
import { resources } from '@manta/kube';
import type { Action, ReconcilePlan } from '@manta/plan';
import {
  type EventInput,
  type Logger,
  type ReconcileContext,
  type ReconcileResult,
  silentLogger,
} from '@manta/runtime';
import { FakeClient, FakeClock } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { KindDefinition } from './kind-definition.ts';
import { createReconciler, ReconcileAborted } from './reconciler.ts';

type Status = NonNullable<RayCluster['status']>;
interface Observed {
  readonly cluster: RayCluster;
  readonly freshness: ReconcileContext['freshness'];
  readonly answer?: string;
}
interface Needs {
  readonly live?: boolean;
  readonly question?: string;
}
type Definition = KindDefinition<Observed, Status, number, Needs>;

const REF = { namespace: 'ns', name: 'a' };
const KEY = 'ns/a';
const ABORT: Action = { type: 'abort', message: 'no quota' };
const WAIT: Action = { type: 'wait', message: 'later', requeueAfterMs: 7_000 };
const EVENT: Action = { type: 'event', event: { severity: 'Warning', reason: 'R', action: 'Validate', note: 'n' } };

let client: FakeClient;
let clock: FakeClock;
let events: EventInput[];
let errors: string[];

beforeEach(async () => {
  clock = new FakeClock(0);
  client = new FakeClient({ clock });
  events = [];
  errors = [];
  await client.create(resources.rayClusters, { metadata: REF });
});

/** A reconciler whose planner is given by the test; each call is one reconcile of the same key. */
function reconciler(
  plan: (observed: Observed, memory: number) => ReconcilePlan<Status, number>,
  more: Partial<Definition> = {},
): () => Promise<ReconcileResult> {
  const log = { ...silentLogger, error: (message: string) => void errors.push(message) } as Logger;
  const reconcile = createReconciler<Observed, Status, number, Needs>(
    { client, clock },
    {
      kind: 'RayCluster',
      events: { event: (input) => void events.push(input) },
      informerOf: () => undefined,
      emptyMemory: 0,
      async observe({ freshness }) {
        const [cluster] = (await client.list<RayCluster>(resources.rayClusters)).items;
        return cluster === undefined ? undefined : { cluster, freshness };
      },
      objectOf: ({ cluster }) => cluster,
      plan,
      ...more,
    },
  );
  const context: ReconcileContext = {
    ...REF,
    key: KEY,
    signal: new AbortController().signal,
    log,
    freshness: 'cached',
    pendingWrites: [],
    wrote: () => undefined,
    deleted: () => undefined,
  };
  return () => reconcile(KEY, context);
}

const stored = async () => (await client.get<RayCluster>(resources.rayClusters, REF)).status;
const requeue = (delayMs: number) => ({ kind: 'requeue-after', delayMs });

describe('observe and read', () => {
  it('reads what the kind needs before it plans', async () => {
    const answers: (string | undefined)[] = [];
    const reconcile = reconciler(
      ({ answer }) => {
        answers.push(answer);
        return { actions: [] };
      },
      {
        needs: () => ({ question: 'nodes?' }),
        read: async (seen, { question }) => ({ ...seen, answer: `${question} 3` }),
      },
    );
    expect(await reconcile()).toEqual({ kind: 'done' });
    expect(answers).toEqual(['nodes? 3']);
  });

  it('observes again from the API server when the cache is not enough', async () => {
    const seen: string[] = [];
    const reconcile = reconciler(
      ({ freshness }) => {
        seen.push(freshness);
        return { actions: [] };
      },
      { needs: () => ({ live: true }) },
    );
    await reconcile();
    expect(seen).toEqual(['live']);
  });

  it('observes and reads again from the API server, once, when an answer shows that the cache is stale', async () => {
    const seen: (readonly [string, string | undefined])[] = [];
    const reads: string[] = [];
    const reconcile = reconciler(
      ({ freshness, answer }) => {
        seen.push([freshness, answer]);
        return { actions: [] };
      },
      {
        needs: ({ answer }) => ({ live: answer === 'unknown job' }),
        read: async (observed) => {
          reads.push(observed.freshness);
          return { ...observed, answer: 'unknown job' };
        },
      },
    );
    await reconcile();
    expect(reads).toEqual(['cached', 'live']);
    expect(seen).toEqual([['live', 'unknown job']]);
  });
});

describe('memory', () => {
  it('is given to the next plan, and dropped with the object', async () => {
    const seen: number[] = [];
    const forgotten: string[] = [];
    const reconcile = reconciler(
      (_, memory) => {
        seen.push(memory);
        return { actions: [], memory: memory + 1 };
      },
      { forget: (key) => void forgotten.push(key) },
    );
    await reconcile();
    await reconcile();
    await client.delete(resources.rayClusters, REF);
    expect(await reconcile()).toEqual({ kind: 'done' });
    expect(forgotten).toEqual([KEY]);
    await client.create(resources.rayClusters, { metadata: REF });
    await reconcile();
    expect(seen).toEqual([0, 1, 0]);
  });

  it('learns how the actions ended and which status was written', async () => {
    const steps: string[] = [];
    const reconcile = reconciler(() => ({ actions: [], status: { state: 'ready' } }), {
      remember: (memory, progress) => {
        steps.push(progress.kind);
        return memory;
      },
    });
    await reconcile();
    expect(steps).toEqual(['acted', 'status-written']);
  });
});

describe('events', () => {
  it.each([
    [true, 1],
    [false, 2],
  ])('with deduplicatesEvents %s are emitted %i times by two equal plans', async (deduplicatesEvents, times) => {
    const reconcile = reconciler(() => ({ actions: [EVENT] }), { deduplicatesEvents });
    await reconcile();
    await reconcile();
    expect(events).toHaveLength(times);
  });
});

describe('status', () => {
  it('is written after all actions have succeeded', async () => {
    await reconciler(() => ({ actions: [], status: { state: 'ready' } }))();
    expect(await stored()).toEqual({ state: 'ready' });
  });

  it('is not written after a failed plan', async () => {
    await expect(reconciler(() => ({ actions: [ABORT], status: { state: 'ready' } }))()).rejects.toThrow('no quota');
    expect(await stored()).toBeUndefined();
  });

  it('reports a failed plan when the planner computes it from the outcome', async () => {
    const statusAfter: ReconcilePlan<Status, number>['statusAfter'] = (outcome) => ({ reason: outcome.kind });
    await expect(reconciler(() => ({ actions: [ABORT], statusAfter }))()).rejects.toThrow(ReconcileAborted);
    expect(await stored()).toEqual({ reason: 'failed' });
  });

  it('is debounced, and requeued for the end of the window', async () => {
    const reconcile = reconciler(() => ({ actions: [], status: { state: 'ready' }, requeueAfterMs: 9_000 }), {
      debounce: { isUrgent: () => false, windowMs: 1_000, windowStart: 'first-change' },
    });
    expect(await reconcile()).toEqual(requeue(1_000));
    expect(await stored()).toBeUndefined();
    await clock.advance(1_000);
    expect(await reconcile()).toEqual(requeue(9_000));
    expect(await stored()).toEqual({ state: 'ready' });
  });

  it('keeps its debounce window when a plan fails in between', async () => {
    let actions: readonly Action[] = [];
    const reconcile = reconciler(() => ({ actions, status: { state: 'ready' } }), {
      debounce: { isUrgent: () => false, windowMs: 1_000, windowStart: 'first-change' },
    });
    expect(await reconcile()).toEqual(requeue(1_000));
    await clock.advance(600);
    actions = [ABORT];
    await expect(reconcile()).rejects.toThrow(ReconcileAborted);
    actions = [];
    expect(await reconcile()).toEqual(requeue(400));
  });
});

describe('requeue', () => {
  it('follows the plan', async () => {
    expect(await reconciler(() => ({ actions: [] }))()).toEqual({ kind: 'done' });
    expect(await reconciler(() => ({ actions: [], requeueAfterMs: 5 }))()).toEqual(requeue(5));
  });

  it('waits as long as the action says', async () => {
    expect(await reconciler(() => ({ actions: [WAIT], requeueAfterMs: 5 }))()).toEqual(requeue(7_000));
  });

  it('leaves a failed plan to exponential backoff unless the kind says when to retry', async () => {
    await expect(reconciler(() => ({ actions: [ABORT] }))()).rejects.toThrow(ReconcileAborted);
    const retry = { failedMs: () => 3_000 };
    expect(await reconciler(() => ({ actions: [ABORT] }), { retry })()).toEqual(requeue(3_000));
    expect(errors).toEqual(['The plan failed']);
  });

  it('is at once when the next decision starts from the written status, even after a failed plan', async () => {
    const statusAfter = () => ({ state: 'suspended' }) as const;
    const reconcile = reconciler(() => ({ actions: [ABORT], statusAfter }), {
      requeueAfterStatusMs: (before, after) => (before?.state === after?.state ? undefined : 0),
    });
    expect(await reconcile()).toEqual(requeue(0));
    await expect(reconcile()).rejects.toThrow(ReconcileAborted);
  });
});

describe('a creation', () => {
  it('is not carried out when the caches have shown since that the plan is outdated', async () => {
    const pods: Action = {
      type: 'create',
      kind: 'Pod',
      objects: [{ metadata: { ...REF, name: 'p' } }],
      whenExists: 'fine',
    };
    await expect(reconciler(() => ({ actions: [pods] }), { watchForChange: () => () => true })()).rejects.toThrow(
      'no longer holds',
    );
    expect((await client.list(resources.pods)).items).toEqual([]);
  });
});
