import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { CliStage } from '../cli-stage.ts';

/** `get cluster`, `get workergroup`, `get node`, `get token`: columns and messages of KubeRay's plugin. */
export function getCases(on: () => CliStage): void {
  describe('get cluster', () => {
    it("prints the columns of KubeRay's plugin", async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      await on().setStatus(name, {
        state: 'ready',
        desiredWorkerReplicas: 2,
        availableWorkerReplicas: 1,
        desiredCPU: '3',
        desiredMemory: '6Gi',
        desiredGPU: '0',
        desiredTPU: '0',
        conditions: [
          {
            type: 'HeadPodReady',
            status: 'True',
            reason: 'R',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
          {
            type: 'RayClusterProvisioned',
            status: 'True',
            reason: 'R',
            message: '',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      });
      const { code, stdout } = await on().ray(`get cluster ${name}`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(code).toBe(0);
      expect(header.trim().split(/ {2,}/)).toEqual([
        'NAME',
        'NAMESPACE',
        'DESIRED WORKERS',
        'AVAILABLE WORKERS',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CONDITION',
        'STATUS',
        'AGE',
      ]);
      expect(row.trim().split(/ +/).slice(0, -1)).toEqual([
        name,
        on().namespace,
        '2',
        '1',
        '3',
        '0',
        '0',
        '6Gi',
        'RayClusterProvisioned',
        'ready',
      ]);
    });

    it('says which cluster is not found, and where it looked', async () => {
      expect(await on().ray('get cluster nothing')).toMatchObject({
        code: 1,
        stderr: `Error: Ray cluster nothing not found in namespace ${on().namespace}\n`,
      });
      expect((await on().ray('get cluster nothing -A')).stderr).toBe(
        'Error: Ray cluster nothing not found in any namespace\n',
      );
    });

    it('refuses a second name', async () => {
      expect(await on().ray('get cluster one two')).toMatchObject({ code: 2 });
    });

    it.each(['json', 'yaml'])('prints the object itself as %s', async (format) => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const { stdout } = await on().ray(`get cluster ${name} -o ${format}`);
      expect(parse(stdout)).toMatchObject({ apiVersion: 'ray.io/v1', kind: 'RayCluster', metadata: { name } });
    });

    it('prints names, lists and JSONPath', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect((await on().ray(`get cluster ${name} -o name`)).stdout).toBe(`raycluster.ray.io/${name}\n`);
      expect(
        (
          await on().ray(
            `get clusters -o jsonpath={.items[?(@.metadata.name=="${name}")].spec.workerGroupSpecs[0].replicas}`,
          )
        ).stdout,
      ).toBe('2\n');
    });

    it('prints again when a cluster changes, until Ctrl-C', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const stop = new AbortController();
      let printed = '';
      const { promise: first, resolve: sawFirst } = Promise.withResolvers<void>();
      const { promise: second, resolve: sawSecond } = Promise.withResolvers<void>();
      const watching = on().ray(`get cluster ${name} -w`, {
        signal: stop.signal,
        onOutput: (text) => {
          printed += text;
          sawFirst();
          if (printed.includes('suspended')) sawSecond();
        },
      });
      await first;
      await on().setStatus(name, { state: 'suspended' });
      await second;
      stop.abort();
      await watching;
      expect(printed).toContain('suspended');
    });
  });

  describe('get workergroup', () => {
    it('prints bounds, ready pods and the resources of all replicas', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      await on().createdPod(name, `${name}-w1`, 'worker', true);
      await on().createdPod(name, `${name}-w2`, 'worker', false);
      const { stdout } = await on().ray(`get workergroup workers -c ${name}`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(header.split(/ +/)).toEqual([
        'NAME',
        'MIN',
        'MAX',
        'REPLICAS',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CLUSTER',
      ]);
      expect(row.split(/ +/)).toEqual(['workers', '1', '5', '1/2', '2', '0', '0', '2Gi', name]);
    });

    it('says which group is not found', async () => {
      const { code, stderr } = await on().ray('get workergroup nothing -c some');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `Error: Ray worker group nothing not found in namespace ${on().namespace} in Ray cluster some\n`,
      });
    });
  });

  describe('get node', () => {
    it('prints the Ray pods of a cluster', async () => {
      const name = on().unique('cluster');
      await on().createdPod(name, `${name}-head`, 'head', true);
      const { stdout } = await on().ray(`get node -c ${name} -A`);
      const [header = '', row = ''] = stdout.split('\n');
      expect(header.split(/ {2,}/)).toEqual([
        'NAMESPACE',
        'NAME',
        'CPUS',
        'GPUS',
        'TPUS',
        'MEMORY',
        'CLUSTER',
        'TYPE',
        'WORKER GROUP',
        'AGE',
      ]);
      expect(row.split(/ +/).slice(0, -1)).toEqual([
        on().namespace,
        `${name}-head`,
        '500m',
        '0',
        '0',
        '1Gi',
        name,
        'head',
        'headgroup',
      ]);
    });

    it('says which node is not found', async () => {
      expect((await on().ray('get node nothing')).stderr).toBe(
        `Error: Ray node nothing not found in namespace ${on().namespace} in any Ray cluster\n`,
      );
    });
  });

  describe('get token', () => {
    it("prints the token of the cluster's Secret without a line break", async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name, {
        rayVersion: '2.52.0',
        authOptions: { mode: 'token', secretName: `${name}-mine` },
      });
      const data = { auth_token: Buffer.from('s3cret').toString('base64') };
      await on().admin.create(resources.secrets, {
        metadata: { name: `${name}-mine`, namespace: on().namespace },
        data,
      });
      expect(await on().ray(`get token ${name}`)).toMatchObject({ code: 0, stdout: 's3cret' });
    });

    it('refuses a cluster without tokens', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect((await on().ray(`get token ${name}`)).stderr).toBe(
        `Error: RayCluster ${on().namespace}/${name} was not configured to use authentication tokens\n`,
      );
    });
  });
}
