import { resolve } from 'node:path';
import { resources } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuardedProcess } from '../support/guarded-process.ts';
import { endLocalRay, type LocalRay, startLocalRay } from './support/local-ray.ts';
import { create, exec, NAMESPACE, podOf, podsOf, until, untilObject } from './support/look.ts';
import { rayCluster } from './support/manifests.ts';
import { serveCode, serveManifest } from './support/serve.ts';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

describe('an operator that is killed in the middle of things and started again', () => {
  let ray: LocalRay;
  let operator: GuardedProcess | undefined;

  function startOperator(): void {
    const proxy = /^proxy: (.+)$/m.exec(ray.log())?.[1] ?? '';
    const flags = ['--metrics-addr=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
    const words = [`HTTP_PROXY=${proxy}`, MANTA, 'operator', `--kubeconfig=${ray.kubeconfig}`, ...flags];
    operator = new GuardedProcess({
      command: '/usr/bin/env',
      args: [...words, '--enable-leader-election=false'],
      logFile: `${ray.folder}/operator.log`,
      folder: ray.folder,
    });
  }
  async function killOperator(): Promise<void> {
    await operator?.stop('SIGKILL', 10_000);
    startOperator();
  }

  beforeAll(async () => {
    ray = await startLocalRay({ args: ['--no-operator'] });
    await until(
      'the proxy',
      async () => ray.log(),
      (log) => log.includes('proxy: '),
    );
    startOperator();
  });
  afterAll(async () => {
    await operator?.stop('SIGTERM', 20_000);
    await endLocalRay(ray);
  });

  it('brings up the cluster that it had begun, with one head', async () => {
    await create(ray, rayCluster('a'));
    await until(
      'a head',
      () => podOf(ray, 'a', 'head'),
      (pod) => pod !== undefined,
    );
    await killOperator();
    await untilObject(ray, resources.rayClusters, 'a', ({ status }) => status?.state === 'ready');
    expect(await podsOf(ray, { 'ray.io/cluster': 'a' })).toHaveLength(1);
  });

  it('follows the job that it had submitted, and submits it no second time', async () => {
    const command =
      'entrypoint: "sleep 4; echo done", submissionMode: HTTPMode, clusterSelector: { ray.io/cluster: a }';
    await create(ray, `{ apiVersion: ray.io/v1, kind: RayJob, metadata: { name: j }, spec: { ${command} } }`);
    await untilObject(ray, resources.rayJobs, 'j', ({ status }) => status?.jobDeploymentStatus === 'Running');
    await killOperator();
    const { status } = await untilObject(ray, resources.rayJobs, 'j', ({ status: now }) =>
      ['Complete', 'Failed'].includes(now?.jobDeploymentStatus ?? ''),
    );
    expect(status).toMatchObject({ jobStatus: 'SUCCEEDED' });
    const head = (await podOf(ray, 'a', 'head'))?.metadata?.name ?? '';
    const list =
      'from ray.job_submission import JobSubmissionClient as C; print(len(C("http://127.0.0.1:8265").list_jobs()))';
    expect(await exec(ray, head, ['python', '-c', list])).toBe('1');
    await ray.client.delete(resources.rayClusters, { namespace: NAMESPACE, name: 'a' });
  });

  it('finishes the upgrade that it was in, and the old cluster goes', async () => {
    const ref = { namespace: NAMESPACE, name: 'greet' };
    const isServing = () =>
      untilObject(
        ray,
        resources.rayServices,
        'greet',
        ({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
      );
    await create(ray, serveCode);
    await ray.client.create(resources.rayServices, serveManifest('greet', 'hello'));
    const before = (await isServing()).status?.activeServiceStatus?.rayClusterName;
    const { spec } = serveManifest('greet', 'hello');
    const body = { spec: { rayClusterConfig: { ...spec.rayClusterConfig, rayVersion: '2.54.0' } } };
    await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
    const pending = await untilObject(
      ray,
      resources.rayServices,
      'greet',
      ({ status }) => (status?.pendingServiceStatus?.rayClusterName ?? '') !== '',
    );
    await killOperator();
    const after = await untilObject(
      ray,
      resources.rayServices,
      'greet',
      ({ status }) =>
        status?.activeServiceStatus?.rayClusterName !== before && status?.activeServiceStatus !== undefined,
    );
    expect(after.status?.activeServiceStatus?.rayClusterName).toBe(
      pending.status?.pendingServiceStatus?.rayClusterName,
    );
    const clusters = async () => (await ray.client.list(resources.rayClusters, { namespace: NAMESPACE })).items;
    expect(await until('one cluster', clusters, (all) => all.length === 1)).toHaveLength(1);
  });
});
