import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '@manta/api';
import { resources, systemClock } from '@manta/kube';
import { FakeHead, type FakeRequest, type FakeResponse, fakeSend } from '@manta/ray/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, oracleFolder, type ParentSnapshot, readParentScenarios } from '../real/recorded-scenarios.ts';
import { startControllers } from './operator.ts';
import { differences, objectsIn, PATHS, RELEASES } from './recorded-objects.ts';
import { placeParent } from './recorded-parents.ts';
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

const KINDS = {
  RayJob: { resource: resources.rayJobs, cases: JOBS },
  RayService: { resource: resources.rayServices, cases: SERVICES },
} as const;
type Kind = keyof typeof KINDS;

/** What there was before and after. */
interface Result {
  readonly kind: Kind;
  readonly namespace: string;
  readonly recorded: Answered;
  readonly objects: ReadonlyMap<string, string>;
  /** The Serve configuration that the peer had sent. */
  readonly sent: readonly unknown[];
  readonly taken?: { readonly parent: Answered; readonly changed: readonly string[] };
}

const ALL_PATHS = {
  ...PATHS,
  RayCluster: '/apis/ray.io/v1/namespaces/NS/rayclusters',
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
  const headFor = ({ kind, namespace, recorded }: Result) =>
    headOf((kind === 'RayJob' ? recorded : recorded.activeServiceStatus)?.rayClusterName, namespace);
  const resultOf = (kind: Kind, title: string): Result => {
    const result = results.get(`${kind} ${title}`);
    if (result === undefined) throw new Error(`${kind} ${title} was not placed`);
    return result;
  };
  const parentIn = async ({ kind, namespace }: Result): Promise<Answered> =>
    (await open().admin.list<KubeObject>(KINDS[kind].resource, { namespace })).items[0];

  beforeAll(async () => {
    if (!isRecorded) return;
    const stage = open();
    await Promise.all(
      (['RayJob', 'RayService'] as const).flatMap((kind) =>
        snapshotsOf(kind).map(async ([title, { snapshot, release }]) => {
          const namespace = await stage.target.namespace();
          const recorded = await placeParent(stage, { kind, snapshot, release }, namespace);
          const objects = await objectsIn(stage, namespace, ALL_PATHS);
          const sent = snapshot.dashboard.writes?.map(({ body }) => body) ?? [];
          const result = { kind, namespace, recorded, objects, sent };
          results.set(`${kind} ${title}`, result);
          prepareHead(recorded, headFor(result));
        }),
      ),
    );
    operator = startControllers((await stage.operatorUser()).client, { namespaces: [], sendToRay });
    await until('every Ray head to be asked twice', async () => {
      const busy = [...results.values()].filter(({ recorded }) => isBusy(recorded));
      return busy.every((each) => headFor(each).requests.length > 1) ? true : undefined;
    });
    await pause(2_500);
    for (const [key, result] of results) {
      const parent = await parentIn(result);
      const changed = differences(result.objects, await objectsIn(stage, result.namespace, ALL_PATHS));
      results.set(key, { ...result, taken: { parent, changed } });
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
    it.each(Object.keys(SERVICES))('%s is taken over: nothing comes or goes', (title) => {
      const { recorded, taken } = resultOf('RayService', title);
      expect(taken?.changed).toEqual([]);
      const { serviceStatus, numServeEndpoints, activeServiceStatus } = recorded;
      const { status } = taken?.parent ?? {};
      expect(status.activeServiceStatus?.rayClusterName).toBe(activeServiceStatus?.rayClusterName);
      expect(status.activeServiceStatus?.applicationStatuses).toEqual(activeServiceStatus?.applicationStatuses);
      expect(status.pendingServiceStatus?.rayClusterName).toBeUndefined();
      expect([status.serviceStatus, status.numServeEndpoints]).toEqual([serviceStatus, numServeEndpoints]);
      expect(statesOf(status)).toEqual(statesOf(recorded));
    });

    // The peer does so too whenever it starts: nobody else remembers what Serve was last told.
    it.each(Object.keys(SERVICES))('%s is told the configuration that it has, once', (title) => {
      const result = resultOf('RayService', title);
      expect(headFor(result).serveConfigs).toEqual(result.sent);
    });
  });
}

const picked = ({ jobId, jobStatus, rayClusterName }: Answered) => ({ jobId, jobStatus, rayClusterName });

const statesOf = ({ conditions }: Answered) =>
  Object.fromEntries(conditions.map(({ type, status, reason }: Answered) => [type, `${status} ${reason}`]));

/** Whether Ray is asked about it. */
const isBusy = ({ jobDeploymentStatus, serviceStatus }: Answered) =>
  jobDeploymentStatus === 'Running' || serviceStatus === 'Running';

function snapshotsOf(
  kind: Kind,
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

/** Ray as the peer last saw it. */
function prepareHead(recorded: Answered, head: FakeHead): void {
  if (recorded.jobStatus) head.setJob(recorded.jobId, { status: recorded.jobStatus });
  const applications = Object.entries<Answered>(recorded.activeServiceStatus?.applicationStatuses ?? {});
  for (const [name, { status, message, serveDeploymentStatuses }] of applications) {
    const deployments = Object.entries<Answered>(serveDeploymentStatuses).map(([each, state]) => [each, state.status]);
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
