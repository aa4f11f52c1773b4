import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';

/** `plan -f`. */
export function planCases(on: () => CliStage): void {
  const manifest = (name: string, replicas: number, image = 'ray') => `apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: ${name}
spec:
  headGroupSpec:
    rayStartParams: {}
    template: {spec: {containers: [{name: ray-head, image: ${image}, resources: {requests: {cpu: '1', memory: 1Gi}}}]}}
  workerGroupSpecs:
    - groupName: workers
      replicas: ${replicas}
      minReplicas: 1
      maxReplicas: 5
      rayStartParams: {}
      template: {spec: {containers: [{name: ray-worker, image: ray, resources: {requests: {cpu: '1', memory: 1Gi}}}]}}
`;

  describe('plan', () => {
    it('has nothing to do for a manifest that is applied: exit code 0', async () => {
      const name = on().unique('same');
      await on().createdCluster(name);
      const result = await on().ray('plan -f -', { input: manifest(name, 2) });
      expect(result).toEqual({
        code: 0,
        stdout: `RayCluster ${on().namespace}/${name} no changes\n\nPlan: nothing to do.\n`,
        stderr: '',
      });
    });

    it('shows changed fields, steps, pods, resources and downtime: exit code 1', async () => {
      const name = on().unique('grows');
      await on().createdCluster(name);
      const { code, stdout } = await on().ray('plan -f -', { input: manifest(name, 4) });
      expect(code).toBe(1);
      expect(stdout).toBe(`RayCluster ${on().namespace}/${name} will change
  ~ spec.workerGroupSpecs[0].replicas: 2 → 4

  Steps
    1. create 2 worker pods of group workers in RayCluster ${name}

  GROUP     NEW   DELETED   REPLACED   KEPT   WHY
  workers   2     -         -          2

  RESOURCE   NOW   PEAK   AFTER
  cpu        3     5      5
  memory     3Gi   5Gi    5Gi

  Downtime   none

Plan: 1 to change; pods: 2 new, 0 deleted, 0 replaced; no downtime.
`);
    });

    it('names fields without effect, also as Markdown and JSON', async () => {
      const name = on().unique('ignored');
      await on().createdCluster(name);
      const input = manifest(name, 2, 'ray:2');
      const text = await on().ray('plan -f -', { input });
      expect(text.code).toBe(1);
      expect(text.stdout).toMatch(
        /No effect {2}spec\.headGroupSpec\.template\.spec\.containers\[0\]\.image: existing pods keep the old value/,
      );
      const markdown = await on().ray('plan --markdown -f -', { input });
      expect(markdown.stdout).toContain(
        '```diff\n! spec.headGroupSpec.template.spec.containers[0].image: "ray" → "ray:2"\n```',
      );
      const json = await on().ray('plan -o json -f -', { input });
      expect(JSON.parse(json.stdout)).toMatchObject({ objects: [{ verdict: 'change', ignored: [{}] }], notRead: [] });
    });

    it('writes nothing', async () => {
      const name = on().unique('unwritten');
      const { code, stdout } = await on().ray('plan -f -', { input: manifest(name, 2) });
      expect(code).toBe(1);
      expect(stdout).toContain(`RayCluster ${on().namespace}/${name} will be created`);
      await expect(on().cluster(name)).rejects.toThrow('not found');
    });

    it('refuses what the API server and the operator refuse: exit code 2', async () => {
      const input = manifest(on().unique('bad'), 2).replace('replicas: 2', 'replicas: many');
      const { code, stdout } = await on().ray('plan -f -', { input });
      expect(code).toBe(2);
      expect(stdout).toMatch(/is refused\n {2}✗ spec\.workerGroupSpecs\[0\]\.replicas: /);
    });

    it('says line and column of malformed YAML, and that a file holds no Ray object: exit code 2', async () => {
      const path = join(on().folder, 'malformed.yaml');
      writeFileSync(path, 'apiVersion: ray.io/v1\nkind: [RayCluster\nmetadata: {}\n');
      const malformed = await on().ray(`plan -f ${path}`);
      expect(malformed).toMatchObject({ code: 2, stdout: '' });
      expect(malformed.stderr).toMatch(/^Error: .*malformed\.yaml:3:1: .+\n$/);
      const other = await on().ray('plan -f -', { input: 'apiVersion: v1\nkind: Service\n' });
      expect(other).toMatchObject({ code: 2, stderr: 'Error: no Ray object is in -.\n' });
    });

    it('says which right is missing: exit code 4', async () => {
      const kubeconfig = on().kubeconfigOf('nobody', []);
      const args = ['-n', on().namespace, 'plan', '-f', '-'];
      const { code, stderr } = await runCli(kubeconfig, args, { input: manifest('x', 1) });
      expect({ code, stderr }).toEqual({
        code: 4,
        stderr: `Error: RayCluster x: you may not list rayclusters.ray.io in namespace ${on().namespace}. Ask for this right.\n`,
      });
    });
  });
}
