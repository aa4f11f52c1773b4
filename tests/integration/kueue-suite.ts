import type { RayCluster, RayClusterSpec, RayJob, RayService } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources, systemClock } from '@manta/kube';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  admitted,
  clusterIsActive,
  clusterPodSelector,
  clusterPodsReady,
  jobIsActive,
  jobIsFinished,
  jobPodSelector,
  type PodSetInfo,
  withInfo,
} from './kueue.ts';
import { startKubelet } from './kubelet.ts';
import { startControllers } from './operator.ts';
import { type Stage, until as untilThen } from './stage.ts';

/** Everything here is a matter of a second or two. */
const until: typeof untilThen = (what, probe) => untilThen(what, probe, 20_000);

const QUEUED = { 'kueue.x-k8s.io/queue-name': 'team' };
const SPOT: PodSetInfo = {
  nodeSelector: { 'cloud.example.com/pool': 'spot' },
  labels: { 'kueue.x-k8s.io/podset': 'main' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
};
const SPEC = rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas: 2 })] });

/** Ray's objects behave as Kueue's job framework expects them to. */
export function kueueSuite(open: () => Stage): void {
  let stage: Stage;
  let namespace: string;
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    stage = open();
    namespace = await stage.target.namespace();
    const kubelet = startKubelet(stage.admin, namespace);
    const person = await stage.operatorUser();
    const head = new FakeHead({ now: () => Date.now() });
    const sendToRay = fakeSend(systemClock, () => head);
    const operator = startControllers(person.client, { namespaces: [namespace], sendToRay });
    stops = [() => kubelet.stop(), () => operator.stop()];
  });
  afterEach(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const ref = () => ({ name: 'queued', namespace });
  const pods = async (labelSelector?: string) =>
    (await stage.admin.list(resources.pods, { namespace, ...(labelSelector ? { labelSelector } : {}) })).items;
  const cluster = () => stage.admin.get<RayCluster>(resources.rayClusters, ref());
  const job = () => stage.admin.get<RayJob>(resources.rayJobs, ref());
  const clusterToBe = (what: string, is: (cluster: RayCluster) => boolean) =>
    until(what, async () => {
      const now = await cluster();
      return is(now) ? now : undefined;
    });
  const jobToBe = (what: string, is: (job: RayJob) => boolean) =>
    until(what, async () => {
      const now = await job();
      return is(now) ? now : undefined;
    });
  // A garbage collector may take half a minute to learn of a new kind.
  const podsToBe = (count: number, selector?: string) =>
    untilThen(`${count} pods`, async () => {
      const found = await pods(selector);
      return found.length === count ? found : undefined;
    });
  const createCluster = (spec: Partial<RayClusterSpec>) =>
    stage.admin.create<RayCluster>(resources.rayClusters, {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: { ...ref(), labels: QUEUED },
      spec: { ...SPEC, ...spec },
    });
  const change = (spec: object) => stage.admin.patch(resources.rayClusters, ref(), { type: 'merge', body: { spec } });

  describe('a RayCluster in a queue', () => {
    it('has no pods until it is admitted, then those that admission describes, and none again once it is evicted', async () => {
      await createCluster({ suspend: true });
      const waiting = await clusterToBe('the suspended state', ({ status }) => status?.state === 'suspended');
      expect(clusterIsActive(waiting)).toBe(false);
      expect(await pods()).toEqual([]);

      await change(admitted(SPEC, SPOT));
      const ready = await clusterToBe('pods that are ready', clusterPodsReady);
      const running = await pods(clusterPodSelector(ready));
      expect(running).toHaveLength(3);
      for (const { metadata, spec } of running) {
        expect(spec?.nodeSelector).toMatchObject(SPOT.nodeSelector);
        expect(spec?.tolerations).toEqual(expect.arrayContaining([expect.objectContaining({ key: 'spot' })]));
        expect(metadata?.labels).toMatchObject(SPOT.labels);
      }

      await change({ suspend: true });
      await podsToBe(0);
      await clusterToBe('to be inactive', (now) => !clusterIsActive(now));
    });

    it('keeps its pods when only tolerations and gates of its templates change, even if it is recreated on changes', async () => {
      await createCluster({ ...withInfo(SPEC, SPOT), upgradeStrategy: { type: 'Recreate' } });
      await clusterToBe('pods that are ready', clusterPodsReady);
      const before = (await podsToBe(3)).map(({ metadata }) => metadata?.uid);
      const moved = withInfo(SPEC, {
        ...SPOT,
        tolerations: [{ key: 'other', operator: 'Exists' }],
        schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }],
      });
      const { headGroupSpec, workerGroupSpecs } = moved;
      const changed = await change({ headGroupSpec, workerGroupSpecs });
      await clusterToBe(
        'the change to be looked at',
        ({ status }) => status?.observedGeneration === changed.metadata?.generation,
      );
      expect(new Set((await pods()).map(({ metadata }) => metadata?.uid))).toEqual(new Set(before));
    });

    it('of another cluster (MultiKueue) is not touched: no pods, no status', async () => {
      await createCluster({ managedBy: 'kueue.x-k8s.io/multikueue' });
      const theirs = { state: 'ready', readyWorkerReplicas: 7 };
      await stage.admin.patch(
        resources.rayClusters,
        ref(),
        { type: 'merge', body: { status: theirs } },
        { subresource: 'status' },
      );
      // Another cluster, made later, is through: this one was passed over.
      await stage.admin.create<RayCluster>(resources.rayClusters, {
        metadata: { name: 'later', namespace },
        spec: rayClusterSpec(),
      });
      await until('the other cluster', async () =>
        (await pods('ray.io/cluster=later')).length > 0 ? true : undefined,
      );
      expect(await pods('ray.io/cluster=queued')).toEqual([]);
      expect((await cluster()).status).toEqual(theirs);
    });
  });

  describe('a RayJob in a queue', () => {
    const createJob = (spec: object) =>
      stage.admin.create<RayJob>(resources.rayJobs, {
        apiVersion: 'ray.io/v1',
        kind: 'RayJob',
        metadata: { ...ref(), labels: QUEUED },
        spec: {
          entrypoint: 'true',
          submissionMode: 'HTTPMode',
          shutdownAfterJobFinishes: true,
          rayClusterSpec: SPEC,
          ...spec,
        },
      });

    it('is inactive until it is admitted, runs what admission describes, and gives everything back when it is evicted', async () => {
      await createJob({ suspend: true });
      const waiting = await jobToBe('Suspended', ({ status }) => status?.jobDeploymentStatus === 'Suspended');
      expect(jobIsActive(waiting)).toBe(false);
      expect(jobPodSelector(waiting)).toBeUndefined();
      expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toEqual([]);

      const body = { spec: { suspend: false, rayClusterSpec: withInfo(SPEC, SPOT) } };
      await stage.admin.patch(resources.rayJobs, ref(), { type: 'merge', body });
      const running = await jobToBe('pods that are ready', ({ status }) => status?.rayClusterStatus?.state === 'ready');
      expect(jobIsActive(running)).toBe(true);
      expect(jobIsFinished(running)).toBe(false);
      const found = await pods(jobPodSelector(running));
      expect(found).toHaveLength(3);
      for (const { spec } of found) expect(spec?.nodeSelector).toMatchObject(SPOT.nodeSelector);

      await stage.admin.patch(resources.rayJobs, ref(), { type: 'merge', body: { spec: { suspend: true } } });
      await jobToBe('to be inactive', (now) => !jobIsActive(now));
      expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toEqual([]);
      await podsToBe(0);
    });

    it('of another cluster (MultiKueue) is not touched', async () => {
      await createJob({ managedBy: 'kueue.x-k8s.io/multikueue' });
      await createCluster({});
      await podsToBe(3, 'ray.io/cluster=queued');
      expect((await job()).status ?? {}).toEqual({});
      expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toHaveLength(1);
    });
  });

  describe('a RayService', () => {
    it('of another cluster (MultiKueue) is not touched', async () => {
      await stage.admin.create<RayService>(resources.rayServices, {
        apiVersion: 'ray.io/v1',
        kind: 'RayService',
        metadata: { ...ref(), labels: QUEUED },
        spec: { managedBy: 'kueue.x-k8s.io/multikueue', rayClusterConfig: SPEC },
      });
      await createCluster({});
      await podsToBe(3, 'ray.io/cluster=queued');
      expect((await stage.admin.get<RayService>(resources.rayServices, ref())).status ?? {}).toEqual({});
      expect((await stage.admin.list(resources.rayClusters, { namespace })).items).toHaveLength(1);
    });

    it('makes its cluster carry the queue, so that Kueue admits it', async () => {
      await stage.admin.create<RayService>(resources.rayServices, {
        apiVersion: 'ray.io/v1',
        kind: 'RayService',
        metadata: { ...ref(), labels: QUEUED },
        spec: { rayClusterConfig: SPEC },
      });
      const [made] = await until('its cluster', async () => {
        const { items } = await stage.admin.list<RayCluster>(resources.rayClusters, { namespace });
        return items.length > 0 ? items : undefined;
      });
      expect(made?.metadata?.labels).toMatchObject(QUEUED);
    });
  });
}
