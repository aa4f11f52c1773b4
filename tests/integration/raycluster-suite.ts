import type { RayCluster, RayClusterSpec } from '@manta/api';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { resources, systemClock } from '@manta/kube';
import { clusterRole } from '@manta/operator';
import { FakeHead, fakeSend } from '@manta/ray/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startKubelet } from './kubelet.ts';
import { type OperatorSettings, type RunningOperator, startControllers } from './operator.ts';
import { type Stage, until } from './stage.ts';

/** Everything that a cluster can have besides its pods, and two groups of workers. */
const RICH: Partial<RayClusterSpec> = {
  rayVersion: '2.55.0',
  enableInTreeAutoscaling: true,
  authOptions: { mode: 'token' },
  gcsFaultToleranceOptions: { redisAddress: 'redis:6379' },
  workerGroupSpecs: [workerGroup('small', { replicas: 2 }), workerGroup('wide', { replicas: 1, numOfHosts: 2 })],
};

/** A head whose template alone has so many bytes. */
function bigHead(bytes: number): RayClusterSpec['headGroupSpec'] {
  const { headGroupSpec } = rayClusterSpec();
  const containers = (headGroupSpec.template.spec?.containers ?? []).map((container) => ({
    ...container,
    env: Array.from({ length: 10 }, (_, i) => ({ name: `BIG_${i}`, value: 'x'.repeat(bytes / 10) })),
  }));
  return { ...headGroupSpec, template: { spec: { containers } } };
}

/** The RayCluster controller on a server, as a user who is bound to what `manta rbac` prints. */
export function rayClusterSuite(open: () => Stage): void {
  let stage: Stage;
  let namespace: string;
  let stops: (() => Promise<void>)[];

  beforeEach(async () => {
    stage = open();
    namespace = await stage.target.namespace();
    stops = [];
    const kubelet = startKubelet(stage.admin, namespace);
    stops.push(() => kubelet.stop());
  });
  afterEach(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  async function operate(settings: Partial<OperatorSettings> = {}): Promise<RunningOperator> {
    const person = await stage.operatorUser();
    const operator = startControllers(person.client, { namespaces: [namespace], ...settings });
    stops.push(() => operator.stop());
    return operator;
  }

  const ref = (name = 'demo') => ({ name, namespace });
  const apply = (spec: Partial<RayClusterSpec> = {}, name = 'demo') =>
    stage.admin.create<RayCluster>(resources.rayClusters, {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: ref(name),
      spec: rayClusterSpec({ workerGroupSpecs: [workerGroup('small', { replicas: 2 })], ...spec }),
    });
  const cluster = (name?: string) => stage.admin.get<RayCluster>(resources.rayClusters, ref(name));
  const patch = (spec: object) => stage.admin.patch(resources.rayClusters, ref(), { type: 'merge', body: { spec } });
  const pods = async () => (await stage.admin.list(resources.pods, { namespace })).items;
  const ready = (name?: string) =>
    until(`${name ?? 'demo'} to be ready`, async () => {
      const { status, metadata } = await cluster(name);
      return status?.state === 'ready' && status.observedGeneration === metadata?.generation ? status : undefined;
    });
  const podsToBe = (count: number) =>
    until(`${count} pods`, async () => ((await pods()).length === count ? true : undefined));
  const events = async () => (await stage.target.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`)).items;

  describe('a RayCluster', () => {
    it('with everything comes up, is scaled, suspended, resumed and deleted, and lacks no permission', async () => {
      await operate();
      await apply({ ...RICH, headGroupSpec: { ...rayClusterSpec().headGroupSpec, enableIngress: true } });
      const status = await ready();
      expect(status.conditions?.filter(({ type }) => type === 'PermissionMissing')).toEqual([]);
      expect((await stage.admin.list(resources.ingresses, { namespace })).items).toHaveLength(1);
      await podsToBe(5);
      await patch({ workerGroupSpecs: [workerGroup('small', { replicas: 4 })] });
      await podsToBe(5);
      await patch({ suspend: true });
      await podsToBe(0);
      await patch({ suspend: false });
      await podsToBe(5);
      await stage.admin.delete(resources.rayClusters, ref());
      await until('the cluster to be gone', async () =>
        (await stage.admin.list(resources.rayClusters, { namespace })).items.length === 0 ? true : undefined,
      );
      await podsToBe(0);
      expect((await events()).filter((event) => JSON.stringify(event).includes('forbidden'))).toEqual([]);
    });

    it('takes annotations away from its Ingress that it has lost itself, and leaves those of others', async () => {
      await operate();
      const annotate = (annotations: object) =>
        stage.admin.patch(resources.rayClusters, ref(), { type: 'merge', body: { metadata: { annotations } } });
      const ingress = (isMet: (keys: readonly string[]) => boolean) =>
        until('the Ingress', async () => {
          const [found] = (await stage.admin.list(resources.ingresses, { namespace })).items;
          const keys = Object.keys(found?.metadata?.annotations ?? {});
          return found !== undefined && isMet(keys) ? found : undefined;
        });
      await apply({ headGroupSpec: { ...rayClusterSpec().headGroupSpec, enableIngress: true } });
      await annotate({ 'x.io/ours': 'a', 'x.io/kept': 'b' });
      const { metadata } = await ingress((keys) => keys.includes('x.io/ours'));
      const body = { metadata: { annotations: { 'x.io/theirs': 'c' } } };
      await stage.admin.patch(
        resources.ingresses,
        ref(metadata?.name),
        { type: 'merge', body },
        { fieldManager: 'them' },
      );
      await annotate({ 'x.io/ours': null });
      const { metadata: after } = await ingress((keys) => !keys.includes('x.io/ours'));
      expect(after?.annotations).toMatchObject({ 'x.io/kept': 'b', 'x.io/theirs': 'c' });
    });

    it('is recreated when it asks for that, and no pod of the old spec is left', async () => {
      await operate();
      await apply({ upgradeStrategy: { type: 'Recreate' } });
      await ready();
      const before = (await pods()).map(({ metadata }) => metadata?.uid);
      await patch({ rayVersion: '2.53.0' });
      const after = await until('other pods', async () => {
        const uids = (await pods()).map(({ metadata }) => metadata?.uid);
        return uids.length === 3 && !uids.some((uid) => before.includes(uid)) ? uids : undefined;
      });
      await ready();
      expect(new Set((await pods()).map(({ metadata }) => metadata?.uid))).toEqual(new Set(after));
    });

    it('whose pods a quota refuses says so, and goes on when it may', async () => {
      await operate();
      const quota = {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'one' },
        spec: { hard: { pods: '2' } },
      };
      const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
      await stage.target.must('POST', path, quota);
      await until('the quota to count', async () =>
        (await stage.target.must('GET', `${path}/one`)).status['hard'] === undefined ? undefined : true,
      );
      await apply({ workerGroupSpecs: [workerGroup('small', { replicas: 2 }), workerGroup('big', { replicas: 1 })] });
      await until('the refusal to be told', async () =>
        (await cluster()).status?.conditions?.some(
          ({ type, message }) => type === 'ReplicaFailure' && message.includes('exceeded quota'),
        ) === true
          ? true
          : undefined,
      );
      await stage.target.must('DELETE', `${path}/one`);
      const { conditions } = await ready();
      expect(conditions?.filter(({ type }) => type === 'ReplicaFailure')).toEqual([]);
    });

    it('gets a budget for its head with the profile for that, and says what is missing without it', async () => {
      const person = await stage.operatorUser();
      const env = { ENABLE_HEAD_DISRUPTION_BUDGET: 'true' };
      const operator = startControllers(person.client, { namespaces: [namespace], env });
      stops.push(() => operator.stop());
      await apply();
      const { conditions } = await ready();
      const told = conditions?.find(({ type }) => type === 'PermissionMissing')?.message;
      expect(told).toContain('resources ["poddisruptionbudgets"]');
      await person.permit(clusterRole(['disruption-budgets']).rules);
      await until('the budget', async () =>
        (await stage.admin.list(resources.podDisruptionBudgets, { namespace })).items.length === 1 ? true : undefined,
      );
      await until('the condition to go', async () =>
        (await cluster()).status?.conditions?.some(({ type }) => type === 'PermissionMissing') === true
          ? undefined
          : true,
      );
    }, 120_000);

    it('is not held up by another that cannot work', async () => {
      await operate();
      await apply({ headGroupSpec: { template: { spec: { containers: [] } } } }, 'empty');
      await apply({ workerGroupSpecs: [workerGroup('small', { minReplicas: -1 })] }, 'negative').catch(() => undefined);
      const groups = Array.from({ length: 200 }, (_, i) => workerGroup(`g${i}`, { replicas: 0 }));
      await apply({ workerGroupSpecs: groups }, 'wide');
      const odd = { ...rayClusterSpec().headGroupSpec, rayStartParams: { 'temp-dir': '/tmp/$(rm -rf /); `id` "x"' } };
      await apply({ headGroupSpec: odd }, 'odd');
      await apply({ headGroupSpec: bigHead(1_000_000) }, 'big');
      await apply();
      await ready();
      await ready('wide');
      await ready('odd');
      expect((await cluster('empty')).status).toBeUndefined();
      const end = await until('the big one to be made or refused', async () => {
        const { state, conditions } = (await cluster('big')).status ?? {};
        if (state === 'ready') return state;
        return conditions?.find(({ type }) => type === 'ReplicaFailure')?.type;
      });
      expect(['ready', 'ReplicaFailure']).toContain(end);
    });
  });

  describe('after its head was replaced', () => {
    it('a RayCluster asks Ray nothing in the first minute', async () => {
      const head = new FakeHead({ now: () => Date.now() });
      const asked: string[] = [];
      const send = fakeSend(systemClock, () => head);
      await operate({ sendToRay: (request) => (asked.push(request.url), send(request)) });
      await apply();
      await ready();
      const [old] = (await pods()).filter(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'head');
      await stage.admin.delete(resources.pods, { name: old?.metadata?.name ?? '', namespace });
      await until('another head', async () => {
        const heads = (await pods()).filter(({ metadata }) => metadata?.labels?.['ray.io/node-type'] === 'head');
        const [head2] = heads;
        return head2 !== undefined && head2.metadata?.uid !== old?.metadata?.uid && head2.status?.phase === 'Running'
          ? true
          : undefined;
      });
      await ready();
      expect(asked).toEqual([]);
    });
  });
}
