import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';

/** `validate`, `init`, `explain`, `completion`. */
export function offlineCases(on: () => CliStage): void {
  describe('init and validate', () => {
    it('validates what init prints, from standard input', async () => {
      const { stdout } = await on().ray('init serve --name fruit');
      expect(await on().ray('validate -f -', { input: stdout })).toMatchObject({
        code: 0,
        stdout: '1 Ray object is valid.\n',
      });
    });

    it('prints file, line and column, and fails', async () => {
      const { stdout } = await on().ray('init job');
      const path = join(on().folder, 'bad.yaml');
      writeFileSync(path, stdout.replace('backoffLimit', 'backofLimit'));
      const result = await on().ray(`validate -f ${path}`);
      expect(result.code).toBe(1);
      expect(result.stdout).toMatch(
        /bad\.yaml:\d+:3: error: RayJob my-job: spec\.backofLimit: unknown field\. Did you mean backoffLimit\?\n$/,
      );
      expect(result.stderr).toBe('Error: 1 error in 1 Ray objects.\n');
    });

    it('lists the templates when none is named, and writes no file twice', async () => {
      expect(await on().ray('init')).toMatchObject({ code: 2, stderr: expect.stringContaining('train') });
      const path = join(on().folder, `${on().unique('init')}.yaml`);
      expect((await on().ray(`init cron -o ${path}`)).code).toBe(0);
      expect((await on().ray(`init cron -o ${path}`)).stderr).toContain('was not written');
    });

    it('refuses a file that does not exist, or that holds no Ray object', async () => {
      expect((await on().ray('validate -f /nonexistent')).code).toBe(2);
      const input = 'apiVersion: v1\nkind: Service\n';
      const { code, stderr } = await on().ray('validate -f -', { input });
      expect(code).toBe(2);
      expect(stderr).toContain('Not checked, because only Ray kinds are: Service');
    });
  });

  describe('explain', () => {
    it('describes a field', async () => {
      const { stdout } = await on().ray('explain rayjob.spec.backoffLimit');
      expect(stdout).toMatch(/KIND: {3}RayJob \(ray\.io\/v1\)\nFIELD: {2}spec\.backoffLimit <integer>/);
    });

    it('lists fields below, and suggests the closest', async () => {
      expect((await on().ray('explain rayclusters.spec.workerGroupSpecs')).stdout).toContain('  groupName <string>');
      expect(await on().ray('explain rayjob.spec.backof')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/RayJob\.spec has no field backof\. The closest are: .*backoffLimit/),
      });
      expect((await on().ray('explain pod')).stderr).toContain('pod is not a Ray kind');
    });
  });

  describe('completion', () => {
    const complete = async (...words: readonly string[]) =>
      (await runCli(on().kubeconfig, ['__complete', ...words])).stdout.trim().split('\n');

    it('completes commands and flags', async () => {
      expect(await complete('ro')).toEqual(['rollout', ':4']);
      expect(await complete('rollout', 'st')).toEqual(['status', ':4']);
      expect(await complete('logs', '--gr')).toEqual(['--grep', '--group', ':4']);
      expect(await complete('get', 'cluster', '-o', 'j')).toEqual(['json', 'jsonpath=', ':4']);
      expect(await complete('validate', '-f', '')).toEqual([':0']);
    });

    it('completes names of the namespace', async () => {
      const name = on().unique('complete');
      await on().createdCluster(name);
      expect(await complete('-n', on().namespace, 'get', 'cluster', name)).toEqual([name, ':4']);
      expect(await complete('logs', '-n', on().namespace, `raycluster/${name}`)).toEqual([`raycluster/${name}`, ':4']);
    });

    it('installs the program that kubectl looks for', async () => {
      const { code } = await on().ray(`completion install --dir ${on().folder}`);
      expect(code).toBe(0);
      const path = join(on().folder, 'kubectl_complete-ray');
      expect(readFileSync(path, 'utf8')).toContain('kubectl-ray __complete "$@"');
      expect(statSync(path).mode & 0o111).toBe(0o111);
    });
  });
}
