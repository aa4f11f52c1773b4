import type { RayService } from '@manta/api';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';

/** `rollout`, `cron`, `top`. */
export function rolloutCases(on: () => CliStage): void {
  const template = (image: string) => ({ spec: { containers: [{ name: 'ray', image }] } });
  const head = (image: string) => ({ headGroupSpec: { rayStartParams: {}, template: template(image) } });
  const createdService = async (status: RayService['status'] = {}) => {
    const name = on().unique('service');
    const { admin, namespace } = on();
    const spec = { serveConfigV2: 'applications: []', rayClusterConfig: head('new') };
    await admin.create(resources.rayServices, { metadata: { name, namespace }, spec });
    const body = { status: { observedGeneration: 1, ...status } };
    const ref = { namespace, name };
    await admin.patch(resources.rayServices, ref, { type: 'merge', body }, { subresource: 'status' });
    return name;
  };
  const service = (name: string) => on().admin.get(resources.rayServices, { namespace: on().namespace, name });
  const ready = [
    { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ] as const;

  describe('rollout status', () => {
    it('ends when the service is ready', async () => {
      const name = await createdService({ conditions: ready, activeServiceStatus: { rayClusterName: 'a' } });
      expect(await on().ray(`rollout status ${name}`)).toEqual({
        code: 0,
        stdout: `rayservice/${name} is rolled out: cluster a serves\n`,
        stderr: '',
      });
    });

    it('times out with exit code 3 and says how far it is', async () => {
      const pendingServiceStatus = { rayClusterName: 'b', trafficRoutedPercent: 40, targetCapacity: 60 };
      const name = await createdService({ conditions: ready, pendingServiceStatus });
      const { code, stderr } = await on().ray(`rollout status rayservice/${name} --timeout 200ms`);
      expect(code).toBe(3);
      expect(stderr).toContain('timed out waiting for the rollout');
      expect(stderr).toContain('pending cluster b: 40 % of traffic');
    });

    it('fails with exit code 1 when the upgrade failed', async () => {
      const reason = 'ValidationFailed';
      const name = await createdService({ conditions: [{ ...ready[0], status: 'False', reason, message: 'bad' }] });
      expect(await on().ray(`rollout status ${name}`)).toMatchObject({
        code: 1,
        stderr: `Error: the rollout of rayservice/${name} failed: ValidationFailed: bad\n`,
      });
    });
  });

  describe('rollout changes', () => {
    it('restarts a service by a change of its pod templates', async () => {
      const name = await createdService();
      expect((await on().ray(`rollout restart ${name}`)).code).toBe(0);
      const { spec } = await service(name);
      const { annotations } = spec?.rayClusterConfig.headGroupSpec.template.metadata ?? {};
      expect(annotations).toEqual({ 'kubectl.kubernetes.io/restartedAt': expect.stringMatching(/^20/) });
    });

    it('pauses and resumes with the former strategy', async () => {
      const name = await createdService();
      expect((await on().ray(`rollout pause ${name}`)).code).toBe(0);
      expect((await service(name)).spec?.upgradeStrategy?.type).toBe('None');
      expect((await on().ray(`rollout restart ${name}`)).stderr).toContain('spec.upgradeStrategy.type is None');
      expect((await on().ray(`rollout resume ${name}`)).code).toBe(0);
      expect((await service(name)).spec?.upgradeStrategy?.type).toBeUndefined();
      expect((await on().ray(`rollout resume ${name}`)).code).toBe(1);
    });

    it('shows the clusters and returns to the active one during an upgrade', async () => {
      const [active, pending] = [on().unique('active'), on().unique('pending')];
      const name = await createdService({
        activeServiceStatus: { rayClusterName: active, trafficRoutedPercent: 80 },
        pendingServiceStatus: { rayClusterName: pending, trafficRoutedPercent: 20 },
      });
      const labels = { 'ray.io/originated-from-cr-name': name, 'ray.io/originated-from-crd': 'RayService' };
      for (const [cluster, image] of [
        [active, 'old'],
        [pending, 'new'],
      ] as const)
        await on().admin.create(resources.rayClusters, {
          metadata: { name: cluster, namespace: on().namespace, labels },
          spec: head(image),
        });
      const { stdout } = await on().ray(`rollout history ${name}`);
      expect(stdout).toMatch(new RegExp(`${active} +active +80 %`));
      expect(stdout).toMatch(new RegExp(`${pending} +pending +20 %`));
      expect((await on().ray(`rollout undo ${name}`)).stdout).toContain(`returns to the spec of cluster ${active}`);
      const { spec } = await service(name);
      expect(spec?.rayClusterConfig.headGroupSpec.template.spec?.containers[0]?.image).toBe('old');
    });
  });

  describe('cron', () => {
    it('lists schedules and creates a RayJob now', async () => {
      const name = on().unique('nightly');
      const { admin, namespace } = on();
      const jobTemplate = { entrypoint: 'python x.py', rayClusterSpec: head('ray') };
      await admin.create(resources.rayCronJobs, {
        metadata: { name, namespace },
        spec: { schedule: '0 3 * * *', timeZone: 'UTC', jobTemplate },
      });
      expect((await on().ray('cron list')).stdout).toMatch(
        new RegExp(`${name} +0 3 \\* \\* \\* +UTC +no +never +20\\d\\d-\\d\\d-\\d\\d 03:00Z`),
      );
      const { code, stdout } = await on().ray(`cron trigger ${name}`);
      expect(code).toBe(0);
      const job = /rayjob\/(\S+)\./.exec(stdout)?.[1] ?? '';
      const created = await admin.get(resources.rayJobs, { namespace, name: job });
      expect(created.spec?.entrypoint).toBe('python x.py');
      expect(created.metadata?.ownerReferences).toMatchObject([{ kind: 'RayCronJob', name }]);
    });
  });

  describe('top', () => {
    it('shows the pods also when neither metrics nor a Ray dashboard answers', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      await on().createdPod(name, `${name}-head`, 'head', true);
      const { code, stdout, stderr } = await on().ray(`top ${name}`);
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`${name}-head +head +headgroup +\\? `));
      expect(stderr).toMatch(/metrics|dashboard/);
    });
  });
}
