import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@manta/api';
import { resources } from '@manta/kube';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { CliStage } from '../cli-stage.ts';
import { type CliResult, runCli } from '../run-cli.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** A user who may get and list Ray objects and nothing else, and input that cannot work. */
export function viewerCases(on: () => CliStage): void {
  describe('a user who may only read Ray objects', () => {
    let kubeconfig = '';
    let name = '';
    beforeAll(async () => {
      const user = on().unique('viewer');
      const { namespace } = on();
      kubeconfig = on().kubeconfigOf(user, []);
      name = on().unique('viewed');
      await on().createdCluster(name);
      const rules = [{ apiGroups: ['ray.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
      await on().admin.create(resources.roles, { metadata: { name: user, namespace }, rules });
      await on().admin.create(resources.roleBindings, {
        metadata: { name: user, namespace },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
        subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
      });
    });
    const view = (command: string): Promise<CliResult> =>
      runCli(kubeconfig, ['-n', on().namespace, ...command.replace('NAME', name).split(' ')]);

    it.each([
      'get cluster',
      'get cluster NAME',
      'job list',
      'cron list',
      'rollout status raycluster/NAME --timeout 1s',
    ])('may %s', async (command) => {
      const { code, stderr } = await view(command);
      expect([0, 3]).toContain(code);
      expect(stderr).not.toMatch(/forbidden/);
    });

    it.each(['why raycluster/NAME', 'status raycluster/NAME', 'tree raycluster/NAME'])(
      'gets a page from %s that names what was not read',
      async (command) => {
        const { code, stdout, stderr } = await view(command);
        expect({ stderr, isDone: code < 2 }).toEqual({ stderr: '', isDone: true });
        expect(stdout).toMatch(/Not read +you may not list pods/);
      },
    );

    it.each([
      ['get node', 'list', 'pods'],
      ['get workergroup', 'list', 'pods'],
      ['top raycluster/NAME', 'list', 'pods'],
      ['logs raycluster/NAME', 'list', 'pods'],
      ['exec raycluster/NAME -- ls', 'list', 'pods'],
      ['log NAME', 'list', 'pods'],
      ['events raycluster/NAME', 'list', 'events'],
      ['scale cluster NAME -w workers --replicas 1', '(update|patch)', 'rayclusters'],
      ['suspend raycluster/NAME', 'patch', 'rayclusters'],
      ['delete raycluster/NAME --yes', 'delete', 'rayclusters'],
      ['create cluster other', 'create', 'rayclusters'],
    ])('is told in one line which right %s needs, with exit code 4', async (command, verb, resource) => {
      const { code, stderr } = await view(command);
      expect({ command, code, stderr }).toEqual({
        command,
        code: 4,
        stderr: expect.stringMatching(new RegExp(`^.*${verb}.*(${resource}).*\n$`)),
      });
    });
  });

  describe('input that cannot work', () => {
    it('suggests the closest command, with exit code 2', async () => {
      expect(await on().ray('statsu')).toEqual({
        code: 2,
        stdout: '',
        stderr: 'Error: unknown command "statsu". Did you mean "status"? kubectl ray --help lists the commands.\n',
      });
    });

    it('says in one line that credentials are not accepted, with exit code 4', async () => {
      const path = join(on().folder, 'expired.kubeconfig');
      const text = readFileSync(on().kubeconfig, 'utf8');
      writeFileSync(path, withToken(text, 'expired'));
      const { code, stdout, stderr } = await runCli(path, ['-n', on().namespace, 'get', 'cluster']);
      expect({ code, stdout, stderr }).toEqual({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/^Error: .*(credentials|nauthorized).*\n$/),
      });
    });
  });
}

/** The kubeconfig with a token in place of its credentials. */
function withToken(text: string, token: string): string {
  const config: unknown = parse(text);
  if (!isRecord(config)) throw new Error('the kubeconfig is not a mapping');
  return stringify({
    ...config,
    users: (Array.isArray(config['users']) ? config['users'] : []).map((user: object) => ({
      ...user,
      user: { token },
    })),
  });
}
