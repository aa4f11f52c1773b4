import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';

/** `delete`, `suspend`, `resume`, `version`, and what all commands share: rights and connections. */
export function objectCases(on: () => CliStage): void {
  describe('delete', () => {
    it('deletes after a yes, in the given order', async () => {
      const [a, b] = [on().unique('cluster'), on().unique('cluster')];
      await on().createdCluster(a);
      await on().createdCluster(b);
      const { code, stdout } = await on().ray(`delete ${a} RayCluster/${b}`, { input: 'YES\n' });
      expect(code).toBe(0);
      expect(stdout).toBe(
        `Are you sure you want to delete the following resources?\n- raycluster/${a}\n- raycluster/${b}\n(y/yes/n/no)Deleted raycluster ${a}\nDeleted raycluster ${b}\n`,
      );
      expect((await on().ray(`get cluster ${a}`)).code).toBe(1);
    });

    it.each([
      ['no\n', 'Canceled deletion.\n'],
      ['perhaps\n', 'Unknown input perhaps\n'],
    ])('deletes nothing after %j', async (input, said) => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      const { code, stdout } = await on().ray(`delete ${name}`, { input });
      expect(code).toBe(0);
      expect(stdout.endsWith(`(y/yes/n/no)${said}`)).toBe(true);
      expect((await on().ray(`get cluster ${name}`)).code).toBe(0);
    });

    it('names what could not be deleted', async () => {
      const { code, stderr } = await on().ray('delete rayjob/nothing --yes');
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: failed to delete rayjob\/nothing: .*not found/);
    });

    it.each([
      ['pod/x', 'Error: unsupported resource type: pod. Use one of: raycluster, rayjob, rayservice, raycronjob.\n'],
      ['raycluster/', 'Error: invalid resource type/name: raycluster/\n'],
      ['a/b/c', 'Error: invalid resource type/name: a/b/c\n'],
    ])('refuses %s', async (name, stderr) => {
      expect(await on().ray(`delete ${name} --yes`)).toMatchObject({ code: 2, stderr });
    });
  });

  describe('version', () => {
    it('prints its own version and warns when no operator is found', async () => {
      const { code, stdout } = await on().ray('version');
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^kubectl ray plugin version: 0\.0\.0-test\nwarning: KubeRay operator installation cannot be found: /,
      );
    });
  });

  describe('suspend and resume', () => {
    it('sets spec.suspend', async () => {
      const name = on().unique('cluster');
      await on().createdCluster(name);
      expect(await on().ray(`suspend ${name}`)).toMatchObject({ code: 0, stdout: `Suspended raycluster ${name}\n` });
      expect((await on().admin.get(resources.rayClusters, { namespace: on().namespace, name })).spec?.suspend).toBe(
        true,
      );
      expect((await on().ray(`resume raycluster/${name}`)).stdout).toBe(`Resumed raycluster ${name}\n`);
      expect((await on().admin.get(resources.rayClusters, { namespace: on().namespace, name })).spec?.suspend).toBe(
        false,
      );
    });

    it('names what does not exist', async () => {
      expect((await on().ray('suspend rayjob/nothing')).stderr).toBe(
        `Error: rayjob/nothing not found in namespace ${on().namespace}\n`,
      );
    });
  });

  describe('a user with few rights', () => {
    it('is told which right is missing, with exit code 4', async () => {
      const weak = on().kubeconfigOf('cli-weak', []);
      const { code, stderr } = await runCli(weak, ['get', 'cluster', '-n', on().namespace]);
      expect(code).toBe(4);
      expect(stderr).toMatch(
        /^Error: unable to retrieve Ray clusters for namespace .*: .*cannot list resource "rayclusters"/,
      );
    });
  });

  describe('the connection', () => {
    it('acts as another user with --as', async () => {
      const { code, stderr } = await on().ray('get cluster --as somebody-else');
      expect(code).toBe(4);
      expect(stderr).toMatch(/User "somebody-else" cannot list/);
    });

    it('says which context does not exist', async () => {
      expect(await on().ray('get cluster --context nowhere')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/context "nowhere" does not exist/),
      });
    });

    it('says that the server cannot be reached', async () => {
      const { code, stderr } = await on().ray('get cluster -s https://127.0.0.1:1');
      expect(code).toBe(1);
      expect(stderr).toMatch(/127\.0\.0\.1:1/);
    });
  });
}
