import { networkInterfaces } from 'node:os';
import { Annotation, type RayClusterSpec, type RayCronJob, type RayJob, type RayJobSpec } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { proxyPath, resources, systemClock } from '@manta/kube';
import { createRayClient, sendThroughApiServerProxy } from '@manta/ray';
import { FakeHead, fakeSend, serveFakeHead } from '@manta/ray/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startKubelet } from './kubelet.ts';
import { type OperatorSettings, startControllers } from './operator.ts';
import { type Stage, until } from './stage.ts';

/** What the cases work with, in a namespace of their own. */
interface Bench {
  readonly namespace: string;
  /** Runs until the case is over, as a user who is bound to what `manta rbac` prints. */
  readonly operate: (settings?: Partial<OperatorSettings>) => Promise<void>;
  readonly apply: (spec: Partial<RayJobSpec>) => Promise<RayJob>;
  readonly job: () => Promise<RayJob>;
  readonly edit: (spec: Partial<RayJobSpec>) => Promise<unknown>;
  /** Waits until the job is in that stage. */
  readonly stage: (wanted: string) => Promise<RayJob>;
  readonly clusters: () => Promise<readonly string[]>;
  /** What the operator was refused, as its events tell. */
  readonly refusals: () => Promise<readonly unknown[]>;
  readonly later: (stop: () => Promise<void>) => void;
}

function useBench(open: () => Stage): () => Bench {
  let bench: Bench;
  let stops: (() => Promise<void>)[];
  beforeEach(async () => {
    stops = [];
    bench = await makeBench(open(), (stop) => void stops.push(stop));
  });
  afterEach(async () => {
    for (const stop of stops.toReversed()) await stop();
  });
  return () => bench;
}

async function makeBench(stage: Stage, later: Bench['later']): Promise<Bench> {
  const { target, admin } = stage;
  const namespace = await target.namespace();
  const ref = { name: 'job', namespace };
  const job = () => admin.get<RayJob>(resources.rayJobs, ref);
  return {
    namespace,
    later,
    job,
    async operate(settings = {}) {
      const { client } = await stage.operatorUser();
      const operator = startControllers(client, { namespaces: [namespace], ...settings });
      later(() => operator.stop());
    },
    apply: (spec) => admin.create<RayJob>(resources.rayJobs, { metadata: ref, spec: { ...SPEC, ...spec } }),
    edit: (spec) => admin.patch(resources.rayJobs, ref, { type: 'merge', body: { spec } }),
    stage: (wanted) =>
      until(`the job to be ${wanted}`, async () => {
        const found = await job();
        return found.status?.jobDeploymentStatus === wanted ? found : undefined;
      }),
    clusters: async () =>
      (await admin.list(resources.rayClusters, { namespace })).items.map(({ metadata }) => metadata?.name ?? ''),
    async refusals() {
      const { items } = await target.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      return items.filter((event) => JSON.stringify(event).includes('forbidden'));
    },
  };
}

const SPEC: RayJobSpec = {
  entrypoint: 'python app.py',
  submissionMode: 'HTTPMode',
  shutdownAfterJobFinishes: true,
  rayClusterSpec: rayClusterSpec(),
};

/** RayJobs and RayCronJobs on a server, as a user who is bound to what `manta rbac` prints. */
export function rayJobSuite(open: () => Stage): void {
  const bench = useBench(open);
  /** One head for each cluster, by its name. */
  let heads: Map<string, FakeHead>;
  const headOf = (origin: string) => {
    const name = /^http:\/\/(.*)-head-svc\./.exec(origin)?.[1] ?? '';
    const head = heads.get(name) ?? new FakeHead({ now: Date.now });
    heads.set(name, head);
    return head;
  };
  const sendToRay = fakeSend(systemClock, headOf);
  const headFor = ({ status }: RayJob) => headOf(`http://${status?.rayClusterName}-head-svc.`);

  beforeEach(() => {
    heads = new Map();
    const kubelet = startKubelet(open().admin, bench().namespace);
    bench().later(() => kubelet.stop());
  });

  describe('a RayJob', () => {
    it('that the operator submits is suspended, resumed, runs to its end and is cleared away, and lacks no permission', async () => {
      const { operate, apply, edit, stage, clusters, refusals } = bench();
      await operate({ sendToRay });
      await apply({});
      const first = await stage('Running');
      await edit({ suspend: true });
      await stage('Suspended');
      expect(await clusters()).toEqual([]);
      await edit({ suspend: false });
      const second = await stage('Running');
      expect(second.status?.rayClusterName).not.toBe(first.status?.rayClusterName);
      const head = headFor(second);
      await until('the job to be submitted', async () => (head.executions.length > 0 ? true : undefined));
      head.setJob(second.status?.jobId ?? '', { status: 'SUCCEEDED' });
      const { status } = await stage('Complete');
      expect(status).toMatchObject({ jobStatus: 'SUCCEEDED', succeeded: 1, failed: 0 });
      expect(status?.attempts?.map(({ outcome }) => outcome)).toEqual(['Suspended', 'Succeeded']);
      await until('the cluster to be gone', async () => ((await clusters()).length === 0 ? true : undefined));
      expect(head.executions).toHaveLength(1);
      expect(await refusals()).toEqual([]);
    });

    it('is deleted itself after its end if `deleteRayJobAfterJobFinishes` of the Configuration file says so', async () => {
      const { operate, apply, stage, clusters, namespace } = bench();
      await operate({ sendToRay, deleteRayJobAfterJobFinishes: true });
      await apply({});
      const running = await stage('Running');
      const head = headFor(running);
      await until('the job to be submitted', async () => (head.executions.length > 0 ? true : undefined));
      head.setJob(running.status?.jobId ?? '', { status: 'SUCCEEDED' });
      await until('the job to be deleted', async () => {
        const { items } = await open().admin.list(resources.rayJobs, { namespace });
        return items.length === 0 ? true : undefined;
      });
      // The garbage collector deletes what the job owned, where one runs.
      expect((await clusters()).length).toBeLessThanOrEqual(1);
    });

    it('with a submitter ends as Ray tells, and is stopped when it is deleted while it runs', async () => {
      const { operate, apply, job, stage, namespace, refusals } = bench();
      await operate({ sendToRay });
      await apply({ submissionMode: 'K8sJobMode' });
      const named = await until('the job to have an id', async () => {
        const found = await job();
        return found.status?.jobId === undefined ? undefined : found;
      });
      const head = headFor(named);
      head.setJob(named.status?.jobId ?? '', { status: 'RUNNING' });
      await until('Ray’s word', async () => ((await job()).status?.jobStatus === 'RUNNING' ? true : undefined));
      await until('the submitter to have ended', async () => {
        const { items } = await open().admin.list(resources.jobs, { namespace });
        return items.some(({ status }) => (status?.succeeded ?? 0) > 0) ? true : undefined;
      });
      expect((await stage('Running')).status?.jobStatus).toBe('RUNNING');
      await open().admin.delete(resources.rayJobs, { name: 'job', namespace });
      await until('the job to be stopped and gone', async () => {
        const { items } = await open().admin.list(resources.rayJobs, { namespace });
        return items.length === 0 && head.jobs.get(named.status?.jobId ?? '')?.status === 'STOPPED' ? true : undefined;
      });
      expect(await refusals()).toEqual([]);
    });
  });

  it('a RayCronJob that was away makes one RayJob for each time that it has missed', async () => {
    const { operate, namespace, refusals } = bench();
    await operate({ sendToRay, gates: { RayCronJob: true } });
    const { admin } = open();
    const ref = { name: 'tick', namespace };
    const spec = { schedule: '* * * * *', suspend: true, jobTemplate: { ...SPEC, suspend: true } };
    await admin.create<RayCronJob>(resources.rayCronJobs, { metadata: ref, spec });
    const minute = Math.floor(Date.now() / 60_000);
    const at = (time: number) => new Date(time * 60_000).toISOString().replace('.000', '');
    const served = { type: 'merge', body: { status: { lastScheduleTime: at(minute - 3) } } } as const;
    await admin.patch(resources.rayCronJobs, ref, served, { subresource: 'status' });
    await admin.patch(resources.rayCronJobs, ref, { type: 'merge', body: { spec: { suspend: false } } });
    const made = await until('the RayJobs', async () => {
      const { items } = await admin.list(resources.rayJobs, { namespace });
      return items.length >= 3 ? items : undefined;
    });
    const times = made.map(({ metadata }) => metadata?.annotations?.[Annotation.CronJobScheduledTimestamp] ?? '');
    expect(times.toSorted((a, b) => a.localeCompare(b)).slice(0, 3)).toEqual([
      at(minute - 2),
      at(minute - 1),
      at(minute),
    ]);
    expect(await refusals()).toEqual([]);
  });
}

/** Dashboards that only the API server can reach, on a server that reaches what listens on this machine's own address. */
export function proxiedDashboardSuite(open: () => Stage): void {
  const bench = useBench(open);
  const address = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  /** A cluster whose head is the one that listens on this port. */
  function clusterOn(nodeName: string, port: number): RayClusterSpec {
    const { headGroupSpec } = rayClusterSpec();
    const containers = (headGroupSpec.template.spec?.containers ?? []).map((container) => ({
      ...container,
      ports: [{ name: 'dashboard', containerPort: port }],
    }));
    return rayClusterSpec({ headGroupSpec: { ...headGroupSpec, template: { spec: { nodeName, containers } } } });
  }

  it.runIf(address !== undefined)('a job is submitted, followed, read and stopped through the API server', async () => {
    const { operate, apply, job, namespace, later, refusals } = bench();
    const head = new FakeHead({ now: Date.now });
    const served = await serveFakeHead(head, address);
    later(() => served.close());
    const kubelet = startKubelet(open().admin, namespace, () => address);
    later(() => kubelet.stop());
    const { transport } = await open().operatorUser();
    const send = sendThroughApiServerProxy(transport);
    await operate({ sendToRay: send, throughApiServer: true });
    // A Service knows only pods whose node is known.
    const node = open().target.unique('node');
    await open().target.must('POST', '/api/v1/nodes', { metadata: { name: node } });
    later(async () => void (await open().target.request('DELETE', `/api/v1/nodes/${node}`)));
    await apply({ rayClusterSpec: clusterOn(node, Number(new URL(served.url).port)) });
    await until('the job to be submitted', async () => (head.executions.length > 0 ? true : undefined));
    const { status } = await job();
    const id = status?.jobId ?? '';
    head.setJob(id, { status: 'RUNNING', logs: 'one\ntwo\n' });
    await until('Ray’s word', async () => ((await job()).status?.jobStatus === 'RUNNING' ? true : undefined));
    const name = `${status?.rayClusterName}-head-svc`;
    const url = proxyPath({ kind: 'services', namespace, name, port: 'dashboard' }, '');
    const client = createRayClient({ clock: systemClock, send, head: { url } });
    expect(await client.getJobLogs(id)).toBe('one\ntwo\n');
    await open().admin.delete(resources.rayJobs, { name: 'job', namespace });
    await until('the job to be stopped', async () => (head.jobs.get(id)?.status === 'STOPPED' ? true : undefined));
    expect(head.requests.every(({ headers }) => headers['x-forwarded-uri']?.includes('/proxy/'))).toBe(true);
    expect(await refusals()).toEqual([]);
  });
}
