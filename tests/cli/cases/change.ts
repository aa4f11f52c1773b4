import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CliStage } from '../cli-stage.ts';

/** `scale cluster`, `create cluster`, `create workergroup`. */
export function changeCases(on: () => CliStage): void {
  describe('scale cluster', () => {
    it('changes replicas and bounds and lists what changed', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const { code, stdout } = await on().ray(
        `scale cluster ${name} -w workers --replicas 4 --min-replicas 2 --max-replicas 6`,
      );
      expect(code).toBe(0);
      expect(stdout).toBe(
        `Updated worker group workers in Ray cluster ${name} in namespace ${on().namespace} (Scaled minReplicas: 1 to 2, Scaled maxReplicas: 5 to 6, Scaled Replicas: 2 to 4)\n`,
      );
      expect((await on().cluster(name)).spec?.workerGroupSpecs?.[0]).toMatchObject({
        replicas: 4,
        minReplicas: 2,
        maxReplicas: 6,
      });
    });

    it('writes nothing when nothing changes', async () => {
      const name = on().unique('cluster');
      const { metadata } = await on().createdCluster(name);
      expect((await on().ray(`scale cluster ${name} -w workers -r 2`)).stdout).toMatch(
        /already matches the requested configuration. Skipping.\n$/,
      );
      expect(
        (await on().admin.get(resources.rayClusters, { namespace: on().namespace, name })).metadata?.resourceVersion,
      ).toBe(metadata?.resourceVersion);
    });

    it.each([
      ['--replicas 9', 'cannot set --replicas (9) greater than --max-replicas (5)'],
      ['--replicas 0', 'cannot set --replicas (0) less than --min-replicas (1)'],
      ['--min-replicas 6', 'cannot set --min-replicas (6) greater than --max-replicas (5)'],
      ['--min-replicas 4 --max-replicas 3', '--min-replicas (4) cannot be greater than --max-replicas (3)'],
      ['--replicas -2', '--replicas must be a non-negative integer'],
      ['', 'must specify at least one of --replicas, --min-replicas, or --max-replicas (non-negative integers)'],
    ])('refuses %s', async (flags, message) => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const { code, stderr } = await on().ray(`scale cluster ${name} -w workers ${flags}`.trim());
      expect({ code, stderr }).toEqual({ code: 2, stderr: `Error: ${message}\n` });
    });

    it('lists the groups that exist when one does not', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect((await on().ray(`scale cluster ${name} -w other -r 1`)).stderr).toBe(
        `Error: worker group other not found in Ray cluster ${name} in namespace ${on().namespace}. Available worker groups: workers\n`,
      );
      expect((await on().ray('scale cluster nothing -w workers -r 1')).stderr).toMatch(/not found/);
    });
  });

  describe('create cluster', () => {
    it('creates what its flags describe', async () => {
      const name = on().unique('made');
      const { code, stdout, stderr } = await on().ray(
        `create cluster ${name} --ray-version 2.53.0 --worker-replicas 3 --worker-gpu 1 --head-memory 5Gi --labels app=ray,env=dev --autoscaler V2`,
      );
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `Created Ray cluster: ${name}\n`, stderr: '' });
      const { metadata, spec } = await on().admin.get(resources.rayClusters, { namespace: on().namespace, name });
      expect(metadata?.labels).toEqual({ app: 'ray', env: 'dev' });
      expect(spec).toMatchObject({
        rayVersion: '2.53.0',
        enableInTreeAutoscaling: true,
        autoscalerOptions: { version: 'v2' },
        headGroupSpec: {
          template: {
            spec: { containers: [{ image: 'rayproject/ray:2.53.0', resources: { limits: { memory: '5Gi' } } }] },
          },
        },
        workerGroupSpecs: [
          {
            groupName: 'default-group',
            replicas: 3,
            template: { spec: { containers: [{ resources: { limits: { 'nvidia.com/gpu': '1' } } }] } },
          },
        ],
      });
    });

    it('refuses a name that is taken', async () => {
      const name = on().unique('made');
      await on().createdCluster(name);
      expect(await on().ray(`create cluster ${name}`)).toMatchObject({
        code: 1,
        stderr: `Error: the Ray cluster ${name} in namespace ${on().namespace} already exists\n`,
      });
    });

    it('takes a file instead of flags, and no flag beside it', async () => {
      const name = on().unique('made');
      const file = join(on().folder, `${name}.yaml`);
      writeFileSync(
        file,
        `name: ${name}\nhead: {cpu: 3}\nworker-groups:\n  - {name: cpus, replicas: 2, cpu: 1, memory: 2Gi}\n  - {replicas: 1}\n`,
      );
      expect((await on().ray(`create cluster ${name} --file ${file} --head-cpu 1 --image x`)).stderr).toBe(
        'Error: the following flags are incompatible with --file: [head-cpu image]\n',
      );
      expect((await on().ray(`create cluster ${name} --file ${file}`)).stderr).toBe('');
      const { spec } = await on().admin.get(resources.rayClusters, { namespace: on().namespace, name });
      expect(spec?.workerGroupSpecs?.map(({ groupName }) => groupName)).toEqual(['cpus', 'default-group-1']);
      expect(spec?.headGroupSpec.template.spec?.containers[0]?.resources?.requests).toEqual({
        cpu: '3',
        memory: '4Gi',
      });
    });

    it('refuses a file with an unknown key', async () => {
      const file = join(on().folder, 'unknown.yaml');
      writeFileSync(file, 'head: {cpus: 3}\n');
      expect((await on().ray(`create cluster x --file ${file}`)).stderr).toBe(
        `Error: failed to parse config file: failed to parse YAML: ${file}: head.cpus is not a known key\n`,
      );
    });

    it.each([
      ['--head-cpu much', /head-cpu is not a valid resource quantity/],
      ['--worker-memory -1Gi', /worker-memory cannot be negative/],
      ['--worker-tpu 1', /gke-tpu-accelerator is not set in --worker-node-selectors/],
      ['--autoscaler v3', /must be one of "v1" or "v2"/],
    ])('refuses %s', async (flags, message) => {
      const { code, stderr } = await on().ray(`create cluster x ${flags}`);
      expect(code).toBe(2);
      expect(stderr).toMatch(message);
    });

    it('waits until the cluster is provisioned', async () => {
      const name = on().unique('made');
      const waiting = on().ray(`create cluster ${name} --wait`, {
        onOutput: (text) => {
          if (text.startsWith('Created')) void on().setStatus(name, { state: 'ready' });
        },
      });
      expect(await waiting).toMatchObject({
        code: 0,
        stdout: `Created Ray cluster: ${name}\nRay cluster ${name} is provisioned\n`,
      });
    });

    it('ends with exit code 3 when the cluster is not provisioned in time', async () => {
      const name = on().unique('made');
      expect(await on().ray(`create cluster ${name} --wait --timeout 300ms`)).toMatchObject({
        code: 3,
        stderr: `Error: timed out waiting for Ray cluster ${name} in namespace ${on().namespace} to be provisioned\n`,
      });
    });

    it('prints the YAML and creates nothing with --dry-run', async () => {
      const { stdout } = await on().ray('create cluster dry --dry-run');
      expect(parse(stdout)).toMatchObject({ kind: 'RayCluster', metadata: { name: 'dry', namespace: on().namespace } });
      expect((await on().ray('get cluster dry')).code).toBe(1);
    });
  });

  describe('create workergroup', () => {
    it('adds a group to a cluster', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect((await on().ray(`create workergroup gpus -c ${name} --worker-gpu 2 --worker-replicas 3`)).stdout).toBe(
        `Updated Ray cluster ${on().namespace}/${name} with new worker group\n`,
      );
      const { spec } = await on().admin.get(resources.rayClusters, { namespace: on().namespace, name });
      expect(spec?.workerGroupSpecs?.[1]).toMatchObject({
        groupName: 'gpus',
        replicas: 3,
        minReplicas: 1,
        maxReplicas: 10,
        numOfHosts: 1,
      });
    });

    it('refuses a group that exists', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect(await on().ray(`create workergroup workers -c ${name}`)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/worker group workers already exists/),
      });
    });
  });
}
