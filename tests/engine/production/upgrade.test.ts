import { crds } from '@manta/api/crds';
import { type KubeClient, resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds } from '../../../packages/manta/src/commands/install-crds.ts';
import { engineStage } from '../../integration/engine-stage.ts';
import { startKubelet } from '../../integration/kubelet.ts';
import { startControllers } from '../../integration/operator.ts';
import { until } from '../../integration/stage.ts';

const { open } = engineStage();

describe('an upgrade of Manta: the CRDs, then the operator, and back', () => {
  let namespace: string;
  let kubelet: { stop(): Promise<void> };
  const seen: Record<string, readonly string[]> = {};
  const versions: Record<string, string | undefined> = {};

  beforeAll(async () => {
    const stage = open();
    const { admin, target } = stage;
    await installOlderCrds(admin);
    namespace = await target.namespace();
    kubelet = startKubelet(admin, namespace);
    const { client } = await stage.operatorUser();
    await admin.create(resources.rayClusters, clusterIn(namespace));
    await admin.create(resources.rayJobs, suspendedJobIn(namespace));
    await reconcileWith('0.1.0', 'before');
    await installCrds(admin, () => undefined);
    await reconcileWith('0.2.0', 'after');
    await reconcileWith('0.1.0', 'back');

    async function reconcileWith(version: string, name: string): Promise<void> {
      const operator = startControllers(client, { namespaces: [namespace], version });
      await until(`operator ${version} to take over`, async () => {
        const head = await headOf(admin, namespace);
        const cluster = await admin.get(resources.rayClusters, { namespace, name: 'kept' });
        const isReady = cluster.status?.state === 'ready';
        return isReady && head?.metadata?.annotations?.[STAMP] === version ? true : undefined;
      });
      await operator.stop();
      seen[name] = await identities(admin, namespace);
      versions[name] = (await headOf(admin, namespace))?.metadata?.annotations?.[STAMP];
    }
  }, 120_000);
  afterAll(() => kubelet.stop());

  it('replaces no cluster, job, pod or Service', () => {
    expect(seen['before']?.length).toBeGreaterThanOrEqual(5);
    expect(seen['after']).toEqual(seen['before']);
    expect(seen['back']).toEqual(seen['before']);
  });

  it('leaves the version of the last operator on the head pod', () => {
    expect(versions).toEqual({ before: '0.1.0', after: '0.2.0', back: '0.1.0' });
  });

  it('brings the field back that the older CRD did not have', async () => {
    const crd = await open().admin.get(resources.customResourceDefinitions, { name: 'rayclusters.ray.io' });
    expect(JSON.stringify(crd)).toContain('"tlsOptions"');
  });
});

const STAMP = 'ray.io/kuberay-version';

/** CRDs of an earlier version: RayClusters have no `tlsOptions` yet. */
async function installOlderCrds(admin: KubeClient): Promise<void> {
  const newest = crds().find(({ metadata }) => metadata?.name === 'rayclusters.ray.io');
  const { tlsOptions: _later, ...properties } = specOf(newest).properties;
  const older = structuredClone(newest);
  specOf(older).properties = properties;
  const body = { type: 'apply', body: older, fieldManager: 'manta', force: true } as const;
  await admin.patch(resources.customResourceDefinitions, { name: 'rayclusters.ray.io' }, body);
  const live = await admin.get(resources.customResourceDefinitions, { name: 'rayclusters.ray.io' });
  if (JSON.stringify(live).includes('"tlsOptions"')) throw new Error('the older CRD has the newer field');
}

interface SpecSchema {
  properties: Record<string, unknown>;
}

function specOf(crd: unknown): SpecSchema {
  const { versions } = (crd as { spec: { versions: { name: string; schema: { openAPIV3Schema: unknown } }[] } }).spec;
  const v1 = versions.find(({ name }) => name === 'v1')?.schema.openAPIV3Schema;
  return (v1 as { properties: { spec: SpecSchema } }).properties.spec;
}

const template = { spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.53.0' }] } };
const spec = {
  rayVersion: '2.53.0',
  // With Recreate, an operator that mistook another version for a change of the spec would replace every pod.
  upgradeStrategy: { type: 'Recreate' } as const,
  headGroupSpec: { rayStartParams: {}, template },
  workerGroupSpecs: [
    { groupName: 'workers', replicas: 2, minReplicas: 0, maxReplicas: 4, rayStartParams: {}, template },
  ],
};

function clusterIn(namespace: string) {
  return { apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name: 'kept', namespace }, spec };
}

function suspendedJobIn(namespace: string) {
  const metadata = { name: 'waiting', namespace };
  const job = { entrypoint: 'true', suspend: true, shutdownAfterJobFinishes: true, rayClusterSpec: spec };
  return { apiVersion: 'ray.io/v1', kind: 'RayJob', metadata, spec: job };
}

async function headOf(admin: KubeClient, namespace: string) {
  const { items } = await admin.list(resources.pods, { namespace, labelSelector: 'ray.io/node-type=head' });
  return items[0];
}

/** Kind, name and uid of everything that must survive. */
async function identities(admin: KubeClient, namespace: string): Promise<readonly string[]> {
  const lists = await Promise.all([
    admin.list(resources.rayClusters, { namespace }),
    admin.list(resources.rayJobs, { namespace }),
    admin.list(resources.pods, { namespace }),
    admin.list(resources.services, { namespace }),
  ]);
  return lists.flatMap(({ items }) => items.map(({ metadata }) => `${metadata?.name} ${metadata?.uid}`)).toSorted();
}
