import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject, RayCluster, RayService } from '@manta/api';
import { sharedCrds } from '@manta/api/crds';
import { rayClusterSpec, workerGroup } from '@manta/api/testing';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKubelet } from '../integration/kubelet.ts';
import { until } from '../integration/stage.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { type HostileHeads, startHostileHeads } from './hostile-heads.ts';

const namespace = 'default';
const WATCHED_MS = 8_000;
/** The operator renews every two seconds; another one may take the lease after 15. */
const MOST_LEASE_AGE_MS = 10_000;
/** Without limits for answers it is 0.4, with them 0.04. */
const MOST_CPU_SHARE = 0.15;

let engine: TestEngine;
let kubelet: { stop(): Promise<void> };
let heads: HostileHeads;
let operator: OperatorProcess;

beforeAll(async () => {
  engine = await startTestEngine();
  for (const crd of sharedCrds()) await engine.client.create(resources.customResourceDefinitions, crd);
  // Seven megabytes, every time others.
  heads = await startHostileHeads(1, { applications: 30_000, bytesEach: 140 });
  operator = startOperator({
    args: [
      `--kubeconfig=${engine.admin.kubeconfig.path}`,
      '--enable-leader-election=true',
      `--leader-election-namespace=${namespace}`,
    ],
    // Every dashboard is reached through this proxy: the heads have no addresses of their own.
    env: { HTTP_PROXY: heads.urls[0] ?? '', NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
  });
  kubelet = startKubelet(engine.client, namespace);
});
afterAll(async () => {
  await operator.ended('SIGKILL');
  await kubelet.stop();
  await heads.close();
  await engine.stop();
});

const service = (name: string): RayService & KubeObject => ({
  metadata: { name, namespace },
  spec: {
    serveConfigV2: 'applications:\n- name: app\n  import_path: app:graph\n',
    rayClusterConfig: rayClusterSpec({ workerGroupSpecs: [workerGroup('workers')] }),
  },
});

async function metric(name: string): Promise<number> {
  const text = (await operator.get('metrics', '/metrics')) ?? '';
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

const leaseSpec = async () =>
  (await engine.client.get(resources.leases, { namespace, name: 'ray-operator-leader' })).spec ?? {};

const isReady = async (name: string) => {
  const { status } = await engine.client.get<RayCluster>(resources.rayClusters, { namespace, name });
  return status?.state === 'ready' ? true : undefined;
};

describe('the operator with three RayServices whose heads answer 7 MB of Serve JSON, every time others', () => {
  it('renews its lease, answers its probes, reconciles others, and spends little of its time on them', async () => {
    await until('the lease', () => leaseSpec().catch(() => undefined));
    const before = await leaseSpec();
    for (const name of ['hostile-a', 'hostile-b', 'hostile-c'])
      await engine.client.create(resources.rayServices, service(name));
    await until('the heads to be asked', async () => (heads.asked() >= 3 ? true : undefined));
    const [cpu, asked] = [await metric('process_cpu_seconds_total'), heads.asked()];
    await engine.client.create(resources.rayClusters, {
      metadata: { name: 'other', namespace },
      spec: rayClusterSpec(),
    });
    const endsAt = Date.now() + WATCHED_MS;
    let oldest = 0;
    while (Date.now() < endsAt) {
      const { renewTime = '' } = await leaseSpec();
      oldest = Math.max(oldest, Date.now() - Date.parse(renewTime));
      expect(await operator.get('health', '/healthz')).toContain('ok');
      await pause(500);
    }
    const spent = (await metric('process_cpu_seconds_total')) - cpu;
    await until('the other cluster to be ready', () => isReady('other'));
    expect(oldest).toBeLessThan(MOST_LEASE_AGE_MS);
    const after = await leaseSpec();
    expect([after.holderIdentity, after.leaseTransitions]).toEqual([before.holderIdentity, before.leaseTransitions]);
    // It still asks them, and pays a bounded share for it; CPU time does not depend on what else the machine does.
    expect(heads.asked()).toBeGreaterThan(asked);
    expect(spent / (WATCHED_MS / 1000)).toBeLessThan(MOST_CPU_SHARE);
  });
});
