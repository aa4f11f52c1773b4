import type { Pod } from '@manta/api';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';

/** `logs`, `exec`: which pods they choose, and what they say when there are none. No kubelet runs here. */
export function podCases(on: () => CliStage): void {
  const withSubmitter = async (cluster: string, job: string) => {
    const { admin, namespace } = on();
    const labels = { 'ray.io/originated-from-cr-name': job, 'ray.io/originated-from-crd': 'RayJob' };
    const spec = { entrypoint: 'x', clusterSelector: { 'ray.io/cluster': cluster } };
    await admin.create(resources.rayJobs, { metadata: { name: job, namespace }, spec });
    const container = { name: 'submit', image: 'ray' };
    const pod: Pod = { metadata: { name: `${job}-x`, namespace, labels }, spec: { containers: [container] } };
    await admin.create(resources.pods, pod);
  };

  describe('logs', () => {
    it("chooses the pods of a RayJob's cluster and its submitter", async () => {
      const [cluster, job] = [on().unique('cluster'), on().unique('job')];
      await on().createdCluster(cluster);
      await on().createdPod(cluster, `${cluster}-head`, 'head', false);
      await on().createdPod(cluster, `${cluster}-worker`, 'worker', false);
      await withSubmitter(cluster, job);
      const { code, stderr } = await on().ray(`logs rayjob/${job}`);
      expect(code).toBe(0);
      expect(stderr.trim().split('\n')).toEqual([
        `${cluster}-head ray: no log yet (not started)`,
        `${cluster}-worker ray: no log yet (not started)`,
        `${job}-x submit: no log yet (not started)`,
      ]);
      expect((await on().ray(`logs ${cluster} --node-type worker`)).stderr).toBe(
        `${cluster}-worker ray: no log yet (not started)\n`,
      );
      expect((await on().ray(`logs ${cluster} --group nothing`)).code).toBe(3);
    });

    it('says that there are no pods, with exit code 3', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect(await on().ray(`logs ${name}`)).toMatchObject({
        code: 3,
        stderr: `Error: raycluster/${name} has no matching pods now. kubectl ray why raycluster/${name} -n ${on().namespace} names the cause.\n`,
      });
    });

    it.each([
      ['--grep (', '--grep ( is not a regular expression'],
      ['-f --previous', '--follow cannot be combined with --previous'],
    ])('refuses %s', async (flags, message) => {
      expect(await on().ray(`logs ${flags}`)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    });
  });

  describe('a name without a type', () => {
    it('is looked up among all kinds', async () => {
      const name = on().unique('both');
      await on().createdCluster(name);
      await withSubmitter('c', name);
      const { code, stderr } = await on().ray(`logs ${name}`);
      expect(code).toBe(2);
      expect(stderr).toBe(
        `Error: ${name} is the name of several objects in namespace ${on().namespace}. Use one of: raycluster/${name}, rayjob/${name}.\n`,
      );
    });

    it('comes with the closest candidates when no object has it', async () => {
      const name = on().unique('candidate');
      await on().createdCluster(name);
      const { code, stderr } = await on().ray(`exec ${name}x -- ls`);
      expect(code).toBe(1);
      expect(stderr).toContain(`no Ray object is named ${name}x in namespace`);
      expect(stderr).toContain(`raycluster/${name},`);
    });
  });
}
