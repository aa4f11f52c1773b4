import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '@manta/api';
import { resources, systemClock } from '@manta/kube';
import { FakeHead, type FakeRequest, type FakeResponse, fakeSend } from '@manta/ray/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayCrds } from '@manta/router';
import {
  type Answered,
  oracleFolder,
  type ParentKind,
  type ParentSnapshot,
  readParentScenarios,
} from '../real/recorded-scenarios.ts';
import { startControllers } from './operator.ts';
import { differences, objectsIn, PATHS, RELEASES } from './recorded-objects.ts';
import { GATEWAY_PATHS, placeParent } from './recorded-parents.ts';
import { type Stage, until } from './stage.ts';

/** A moment of a scenario, and how the job ends after we have taken over; without `ends` it is at rest. */
interface Case {
  readonly scenario: string;
  readonly label: string;
  readonly ends?: 'SUCCEEDED' | 'FAILED';
}

const JOBS: Readonly<Record<string, Case>> = {
  'that runs, with a submitter': { scenario: 'operator-restart-while-running', label: 'before', ends: 'SUCCEEDED' },
  'that runs, with a submitter in the head pod': { scenario: 'sidecar-success', label: 'running', ends: 'SUCCEEDED' },
  'that runs for the second time': { scenario: 'retry-then-success', label: 'second', ends: 'SUCCEEDED' },
  'that runs, submitted by the operator': { scenario: 'suspend-while-running-http', label: 'resumed', ends: 'FAILED' },
  'that runs under an id of the user’s': { scenario: 'interactive-success', label: 'running', ends: 'SUCCEEDED' },
  'that runs on a cluster of the user’s': { scenario: 'selector-success', label: 'running', ends: 'SUCCEEDED' },
  'that has failed on a cluster of the user’s': { scenario: 'selector-http-failed', label: 'failed' },
  'that waits for an id': { scenario: 'interactive-success', label: 'waiting' },
  'that is complete': { scenario: 'k8sjob-success', label: 'complete' },
  'that has failed': { scenario: 'k8sjob-app-failed', label: 'failed' },
  'that is suspended': { scenario: 'suspend-while-running-http', label: 'suspended' },
};

const SERVICES: Readonly<Record<string, Case>> = {
  'that serves': { scenario: 'first-deploy-ready', label: 'ready' },
  'with workers that somebody added': { scenario: 'autoscaler-replicas-kept', label: 'scaled' },
  'with a Service of the user’s': { scenario: 'serve-service-custom', label: 'ready' },
  'of several deployments': { scenario: 'sample-high-availability', label: 'ready' },
  'that is suspended': { scenario: 'suspend-from-start', label: 'suspended' },
};

/** Each with another cluster that is being prepared, or that has part of the traffic. */
const UPGRADES: Readonly<Record<string, Case>> = {
  'to a new cluster': { scenario: 'edit-image-new-cluster', label: 'upgrading' },
  'to a new cluster that is not well': { scenario: 'upgrade-pending-app-unhealthy', label: 'unhealthy' },
  'step by step, before the first step': { scenario: 'incremental-interval-holds-traffic', label: 'held' },
  'step by step, at half the way': { scenario: 'incremental-pauses-while-pending-not-ready', label: 'paused' },
  'step by step, on the way back': { scenario: 'incremental-rollback-midway', label: 'rolling-back' },
};

/** Upgrades that wait for nothing but the application, and the share of the traffic that the next cluster then has. */
const GOING_ON: readonly (readonly [title: string, share: number | undefined])[] = [
  ['to a new cluster', undefined],
  ['step by step, at half the way', 100],
];

const CRON_JOBS: Readonly<Record<string, Case>> = {
  'whose job runs': { scenario: 'child-runs', label: 'running' },
  'whose job is complete': { scenario: 'child-runs', label: 'complete' },
  'that is suspended while its job runs': { scenario: 'suspend-keeps-children', label: 'suspended' },
};

const KINDS = {
  RayJob: { resource: resources.rayJobs, cases: JOBS },
  RayService: { resource: resources.rayServices, cases: { ...SERVICES, ...UPGRADES } },
  RayCronJob: { resource: resources.rayCronJobs, cases: CRON_JOBS },
} as const;

/** What there was before and after. */
interface Result {
  readonly kind: ParentKind;
  readonly namespace: string;
  readonly recorded: Answered;
  /** The status of the job, where there is one. */
  readonly job: Answered;
  readonly objects: ReadonlyMap<string, string>;
  /** The Serve configuration that the peer had sent. */
  readonly sent: readonly unknown[];
  readonly taken?: Taken;
  /** The same after yet another version has taken over from us. */
  readonly handedOn?: Taken;
}

/** How things are after somebody has taken over. */
interface Taken {
  readonly parent: Answered;
  /** What is no longer as the peer had made it. */
  readonly changed: readonly string[];
  /** The Serve configurations that the cluster was told, up to then. */
  readonly told: readonly unknown[];
}

const ALL_PATHS = {
  ...PATHS,
  ...GATEWAY_PATHS,
  RayCluster: '/apis/ray.io/v1/namespaces/NS/rayclusters',
  RayJob: '/apis/ray.io/v1/namespaces/NS/rayjobs',
  Job: '/apis/batch/v1/namespaces/NS/jobs',
};

/** Serve leaves what runs alone when it is told the configuration that it has. */
class SteadyHead extends FakeHead {
  override answer(request: FakeRequest): FakeResponse {
    const running = [...this.applications];
    const answer = super.answer(request);
    for (const [name, application] of running) this.applications.set(name, application);
    return answer;
  }
}

/** RayJobs and RayServices as the peer leaves them behind are taken over: they go on, and nothing comes or goes. */
export function takeOverParentsSuite(open: () => Stage): void {
  const isRecorded = existsSync(oracleFolder);
  const results = new Map<string, Result>();
  const heads = new Map<string, FakeHead>();
  let operator: { stop(): Promise<void> };

  const headOf = (cluster: string, namespace: string) => {
    const key = `${cluster}.${namespace}`;
    const head = heads.get(key) ?? new SteadyHead({ now: Date.now });
    heads.set(key, head);
    return head;
  };
  const sendToRay = fakeSend(systemClock, (origin) => {
    const [, cluster = '', namespace = ''] = /^http:\/\/(.*)-head-svc\.([^.]*)\./.exec(origin) ?? [];
    return headOf(cluster, namespace);
  });
  /** The head of the job's cluster, or of the one that serves. */
  const headFor = ({ namespace, recorded, job }: Result) =>
    headOf((job ?? recorded.activeServiceStatus)?.rayClusterName, namespace);
  /** The head of the cluster that is being prepared. */
  const nextHeadFor = ({ namespace, recorded }: Result) =>
    headOf(recorded.pendingServiceStatus?.rayClusterName, namespace);
  const resultOf = (kind: ParentKind, title: string): Result => {
    const result = results.get(`${kind} ${title}`);
    if (result === undefined) throw new Error(`${kind} ${title} was not placed`);
    return result;
  };
  const parentIn = async ({ kind, namespace }: Result): Promise<Answered> =>
    (await open().admin.list<KubeObject>(KINDS[kind].resource, { namespace })).items[0];

  /** Waits until each Ray head whose work goes on was asked so many times more. */
  const untilAsked = async (times: number) => {
    const busy = [...results.values()].filter(({ recorded, job }) => isBusy(job ?? recorded));
    const asked = busy.map((each) => (isUpgrading(each.recorded) ? nextHeadFor(each) : headFor(each)));
    const wanted = asked.map(({ requests }) => requests.length + times);
    await until('every Ray head to be asked', async () =>
      asked.every(({ requests }, i) => requests.length >= (wanted[i] ?? 0)) ? true : undefined,
    );
  };

  beforeAll(async () => {
    if (!isRecorded) return;
    const stage = open();
    for (const crd of gatewayCrds())
      await stage.target.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await Promise.all(
      (['RayJob', 'RayService', 'RayCronJob'] as const).flatMap((kind) =>
        snapshotsOf(kind).map(async ([title, { snapshot, release }]) => {
          const namespace = await stage.target.namespace();
          const { recorded, job } = await placeParent(stage, { kind, snapshot, release }, namespace);
          const objects = await objectsIn(stage, namespace, ALL_PATHS);
          const sent = snapshot.dashboard.writes?.map(({ body }) => body) ?? [];
          const result = { kind, namespace, recorded, job, objects, sent };
          results.set(`${kind} ${title}`, result);
          prepareHead(job, recorded.activeServiceStatus, headFor(result));
          if (isUpgrading(recorded)) prepareHead(undefined, recorded.pendingServiceStatus, nextHeadFor(result));
        }),
      ),
    );
    const { client } = await stage.operatorUser();
    const takeOver = async (version: string): Promise<ReadonlyMap<string, Taken>> => {
      operator = startControllers(client, { namespaces: [], sendToRay, gates: { RayCronJob: true }, version });
      await untilAsked(2);
      await pause(2_500);
      const found = [...results].map(async ([key, result]) => {
        const changed = differences(result.objects, await objectsIn(stage, result.namespace, ALL_PATHS));
        return [key, { parent: await parentIn(result), changed, told: [...headFor(result).serveConfigs] }] as const;
      });
      return new Map(await Promise.all(found));
    };
    const taken = await takeOver('0.0.0-first');
    await operator.stop();
    const handedOn = await takeOver('0.0.0-second');
    for (const [key, result] of results) {
      const [first, second] = [taken.get(key), handedOn.get(key)];
      if (first && second) results.set(key, { ...result, taken: first, handedOn: second });
    }
  }, 120_000);
  afterAll(() => operator?.stop());

  describe.runIf(isRecorded)("a RayJob of the peer's", () => {
    it.each(Object.keys(JOBS))('%s is taken over: nothing comes, goes or is submitted again', (title) => {
      const result = resultOf('RayJob', title);
      const { jobId, jobStatus, jobDeploymentStatus, rayClusterName, failed } = result.recorded;
      expect(result.taken?.changed).toEqual([]);
      expect(result.taken?.parent.status).toMatchObject({ jobDeploymentStatus, failed });
      expect(picked(result.taken?.parent.status)).toEqual({ jobId, jobStatus, rayClusterName });
      expect(headFor(result).requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    });

    const running = Object.entries(JOBS).flatMap(([title, { ends }]) => (ends === undefined ? [] : [{ title, ends }]));
    it.each(running)('$title then ends as $ends, as Ray tells', async ({ title, ends }) => {
      const result = resultOf('RayJob', title);
      const { namespace, recorded } = result;
      const head = headFor(result);
      head.setJob(recorded.jobId, { status: ends });
      await endSubmitter(open(), namespace);
      const wanted = ends === 'SUCCEEDED' ? 'Complete' : 'Failed';
      const { status } = await until(`the job to be ${wanted}`, async () => {
        const found = await parentIn(result);
        return found.status.jobDeploymentStatus === wanted ? found : undefined;
      });
      const more = ends === 'SUCCEEDED' ? { succeeded: 1 } : { failed: recorded.failed + 1 };
      const { jobId, rayClusterName, startTime, succeeded, failed } = recorded;
      expect(status).toMatchObject({
        jobId,
        rayClusterName,
        startTime,
        succeeded,
        failed,
        jobStatus: ends,
        ...more,
      });
      expect(head.executions).toEqual([]);
    });
  });

  describe.runIf(isRecorded)("a RayService of the peer's", () => {
    const titles = [...Object.keys(SERVICES), ...Object.keys(UPGRADES)];
    it.each(titles)('%s is taken over: nothing comes or goes', (title) => {
      const { recorded, taken } = resultOf('RayService', title);
      expect(taken?.changed).toEqual([]);
      const { serviceStatus, numServeEndpoints, activeServiceStatus, pendingServiceStatus } = recorded;
      const { status } = taken?.parent ?? {};
      expect(sharesOf(status.activeServiceStatus)).toEqual(sharesOf(activeServiceStatus));
      expect(sharesOf(status.pendingServiceStatus)).toEqual(sharesOf(pendingServiceStatus));
      expect([status.serviceStatus, status.numServeEndpoints]).toEqual([serviceStatus, numServeEndpoints]);
      expect(statesOf(status)).toEqual(statesOf(recorded));
    });

    // The peer does so too whenever it starts: nobody else remembers what Serve was last told.
    it.each(Object.keys(SERVICES))('%s is told the configuration that it has, once', (title) => {
      const result = resultOf('RayService', title);
      expect(result.taken?.told).toEqual(result.sent);
    });

    it.each(GOING_ON)('%s goes on once the application runs there: %s', async (title, share) => {
      const result = resultOf('RayService', title);
      const { rayClusterName: next } = result.recorded.pendingServiceStatus;
      const head = nextHeadFor(result);
      for (const [name, { deployments }] of head.applications) {
        const healthy = Object.keys({ D: '', ...deployments }).map((each) => [each, 'HEALTHY']);
        head.applications.set(name, { status: 'RUNNING', message: '', deployments: Object.fromEntries(healthy) });
      }
      const { status } = await until(`${next} to have all of the traffic`, async () => {
        const found = await parentIn(result);
        const parts = [found.status.activeServiceStatus, found.status.pendingServiceStatus];
        const part = parts.find((each) => each?.rayClusterName === next);
        const isDone =
          share === undefined ? part !== undefined && part === parts[0] : part?.trafficRoutedPercent === share;
        return isDone ? found : undefined;
      });
      expect(status.conditions.find(({ type }: Answered) => type === 'Ready').status).toBe('True');
      expect(podsOf(await objectsIn(open(), result.namespace, ALL_PATHS))).toEqual(podsOf(result.objects));
    });
  });

  describe.runIf(isRecorded)('what we have taken over', () => {
    const all = Object.entries(KINDS).flatMap(([kind, { cases }]) => Object.keys(cases).map((title) => [kind, title]));
    it.each(all)('a %s %s: is handed on to another version as it was found', (kind = '', title = '') => {
      const result = resultOf(kind as ParentKind, title);
      expect(result.handedOn?.changed).toEqual([]);
      expect(settled(result.handedOn?.parent.status)).toEqual(settled(result.taken?.parent.status));
    });
  });

  describe.runIf(isRecorded)("a RayCronJob of the peer's", () => {
    it.each(Object.keys(CRON_JOBS))('%s is taken over: nothing comes or goes, and no other job is made', (title) => {
      const result = resultOf('RayCronJob', title);
      expect(result.taken?.changed).toEqual([]);
      expect(result.taken?.parent.status).toEqual(result.recorded);
      expect(headFor(result).requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    });
  });
}

/** Without what is written anew with each look. */
const settled = (status: Answered): Answered =>
  JSON.parse(JSON.stringify(status, (key, value: unknown) => (key === 'lastUpdateTime' ? undefined : value)));

const podsOf = (objects: ReadonlyMap<string, string>) => [...objects.keys()].filter((key) => key.startsWith('Pod/'));

const sharesOf = ({ rayClusterName, applicationStatuses, targetCapacity, trafficRoutedPercent }: Answered = {}) => ({
  rayClusterName,
  applicationStatuses,
  targetCapacity,
  trafficRoutedPercent,
});

const picked = ({ jobId, jobStatus, rayClusterName }: Answered) => ({ jobId, jobStatus, rayClusterName });

const statesOf = ({ conditions }: Answered) =>
  Object.fromEntries(conditions.map(({ type, status, reason }: Answered) => [type, `${status} ${reason}`]));

/** Whether Ray is asked about it. */
const isBusy = ({ jobDeploymentStatus, serviceStatus }: Answered) =>
  jobDeploymentStatus === 'Running' || serviceStatus === 'Running';

function snapshotsOf(
  kind: ParentKind,
): readonly (readonly [string, { readonly snapshot: ParentSnapshot; readonly release: string }])[] {
  const { cases } = KINDS[kind];
  const names = Object.values(cases).map(({ scenario }) => scenario);
  const scenarios = readParentScenarios(kind, `^(${names.join('|')})[.]yaml$`);
  return Object.entries(cases).map(([title, { scenario, label }], i) => {
    const snapshot = scenarios[scenario]?.snapshots.find((each) => each.label === label);
    if (snapshot === undefined) throw new Error(`${scenario} has no snapshot ${label}`);
    return [title, { snapshot, release: RELEASES[i % RELEASES.length] ?? RELEASES[0] }];
  });
}

const isUpgrading = ({ pendingServiceStatus }: Answered) => pendingServiceStatus?.rayClusterName !== undefined;

/** Ray as the peer last saw it. */
function prepareHead(job: Answered, serving: Answered, head: FakeHead): void {
  if (job?.jobStatus) head.setJob(job.jobId, { status: job.jobStatus });
  const applications = Object.entries<Answered>(serving?.applicationStatuses ?? {});
  for (const [name, { status, message, serveDeploymentStatuses }] of applications) {
    const deployments = Object.entries<Answered>(serveDeploymentStatuses ?? {}).map(([each, state]) => [
      each,
      state.status,
    ]);
    head.applications.set(name, { status, message, deployments: Object.fromEntries(deployments) });
  }
}

/** The submitter, where there is one, has followed the job to its end: a pod of a Job, or a container beside the head's. */
async function endSubmitter({ admin }: Stage, namespace: string): Promise<void> {
  const finishedAt = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const state = { terminated: { exitCode: 0, reason: 'Completed', finishedAt } };
  const { items } = await admin.list(resources.pods, { namespace });
  for (const { metadata, status } of items) {
    const all = status?.containerStatuses ?? [];
    const isOfJob = metadata?.labels?.['job-name'] !== undefined;
    if (!isOfJob && all.every(({ name }) => name !== SUBMITTER)) continue;
    const containerStatuses = all.map((each) => (each.name === SUBMITTER ? { ...each, ready: false, state } : each));
    const body = { status: isOfJob ? { phase: 'Succeeded' } : { containerStatuses } };
    const ref = { name: metadata?.name ?? '', namespace };
    await admin.patch(resources.pods, ref, { type: 'merge', body }, { subresource: 'status' });
  }
}

const SUBMITTER = 'ray-job-submitter';
