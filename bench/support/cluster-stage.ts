import type { RayCluster } from '@manta/api';
import { type KubeClient, resources } from '@manta/kube';
import type { AuditedRequest } from '../../tests/support/audit-log.ts';
import { type ControlPlane, startControlPlane } from '../../tests/support/control-plane.ts';
import { connectDriver, inParallel } from './clients.ts';
import { bindRole, OPERATOR_USER, output } from './operators.ts';
import { playPods, type PodPlayerOptions } from './pod-player.ts';
import { BENCH_NAMESPACES, isClusterReady } from './ray-clusters.ts';
import { resolve } from 'node:path';
import { follow } from './watched.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');
/** How many writers create objects, as fast as they go. */
const WRITERS = 8;
const GIVE_UP_MS = 15 * 60_000;

/** A real API server, pods that play along, and a driver that makes clusters and notes when each is ready. */
export interface ClusterStage {
  readonly plane: ControlPlane;
  readonly client: KubeClient;
  /** Makes them, and resolves when all are ready; seconds from each answer to its readiness, in the order given. */
  makeReady(clusters: readonly RayCluster[]): Promise<readonly number[]>;
  /** Resolves when that cluster meets the condition; milliseconds since the epoch of the clock of `performance`. */
  when(cluster: RayCluster, isMet: (seen: RayCluster) => boolean): Promise<number>;
  /** When the first pod was seen whose name begins so, by the clock of `performance`. */
  firstPodAt(prefix: string): number | undefined;
  /** Requests of the operator since a mark, by `verb resource`. */
  requests(since: number, isMeant?: (request: AuditedRequest) => boolean): Promise<Readonly<Record<string, number>>>;
}

/** How pods behave, and which of Kubernetes' own controllers there are; none unless told. */
export type Pods = Pick<PodPlayerOptions, 'readyMs' | 'onReady'> & { readonly controllers?: readonly string[] };

/** Sets the stage, does the work and clears it again. */
export async function onClusterStage<T>(
  { controllers, ...pods }: Pods,
  work: (stage: ClusterStage) => Promise<T>,
): Promise<T> {
  const plane = await startControlPlane({
    audit: true,
    serviceAccountAdmission: false,
    ...(controllers === undefined ? {} : { controllerManager: { controllers } }),
  });
  const end = new AbortController();
  const driver = await connectDriver(plane.adminKubeconfig.path);
  try {
    await prepare(plane, driver.client);
    const followed = new ClusterFollower();
    const podTimes = new Map<string, number>();
    const onSeen = (name: string) => void podTimes.set(name, performance.now());
    const background = [
      playPods({ client: driver.client, signal: end.signal, ...pods, onSeen }),
      follow(driver.client, resources.rayClusters, end.signal, (cluster) => followed.see(cluster)),
    ];
    const result = await work(stageOf(plane, driver.client, followed, podTimes));
    end.abort();
    await Promise.all(background);
    return result;
  } finally {
    end.abort();
    await driver.close();
    await plane.stop();
  }
}

async function prepare(plane: ControlPlane, client: KubeClient): Promise<void> {
  await output([MANTA, 'crds', 'apply'], { ...process.env, KUBECONFIG: plane.adminKubeconfig.path });
  await bindRole(plane);
  for (const name of [...BENCH_NAMESPACES, 'marker']) await client.create(resources.namespaces, { metadata: { name } });
}

function stageOf(
  plane: ControlPlane,
  client: KubeClient,
  followed: ClusterFollower,
  podTimes: ReadonlyMap<string, number>,
): ClusterStage {
  const when: ClusterStage['when'] = (cluster, isMet) => followed.when(keyOf(cluster), isMet);
  return {
    plane,
    client,
    when,
    firstPodAt: (prefix) => [...podTimes].find(([name]) => name.startsWith(prefix))?.[1],
    async makeReady(clusters) {
      const times: number[] = [];
      const ready: Promise<void>[] = [];
      await inParallel(clusters, WRITERS, async (cluster, at) => {
        await client.create(resources.rayClusters, cluster);
        const createdAt = performance.now();
        const note = async () => {
          times[at] = ((await when(cluster, isClusterReady)) - createdAt) / 1000;
        };
        ready.push(note());
      });
      await within(
        GIVE_UP_MS,
        Promise.all(ready),
        () => `${times.filter(Boolean).length} of ${clusters.length} are ready`,
      );
      return times;
    },
    async requests(since, isMeant = () => true) {
      const counts: Record<string, number> = {};
      for (const request of await plane.audit.requests({ user: OPERATOR_USER }, since)) {
        const { verb, resource, uri } = request;
        if (!isMeant(request)) continue;
        // Questions that are put as writes change nothing.
        const isQuestion = uri.includes('dryRun=All') || resource.endsWith('reviews');
        const key = `${isQuestion ? 'ask' : verb} ${resource || uri}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    },
  };
}

type Waiter = { readonly isMet: (cluster: RayCluster) => boolean; readonly done: (at: number) => void };

/** Tells when clusters come to be as somebody waits for. */
class ClusterFollower {
  readonly #last = new Map<string, RayCluster>();
  readonly #waiters = new Map<string, Waiter[]>();

  see(cluster: RayCluster): void {
    const key = keyOf(cluster);
    this.#last.set(key, cluster);
    const left = (this.#waiters.get(key) ?? []).filter(({ isMet, done }) => {
      if (!isMet(cluster)) return true;
      done(performance.now());
      return false;
    });
    if (left.length > 0) this.#waiters.set(key, left);
    else this.#waiters.delete(key);
  }

  when(key: string, isMet: Waiter['isMet']): Promise<number> {
    const last = this.#last.get(key);
    if (last !== undefined && isMet(last)) return Promise.resolve(performance.now());
    return new Promise((done) => {
      this.#waiters.set(key, [...(this.#waiters.get(key) ?? []), { isMet, done }]);
    });
  }
}

function keyOf({ metadata }: RayCluster): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

async function within<T>(ms: number, work: Promise<T>, say: () => string): Promise<T> {
  const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
  const timer = setTimeout(() => giveUp(new Error(`this takes too long: ${say()}`)), ms);
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
  }
}
