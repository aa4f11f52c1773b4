import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { matches, stepsIn } from '../e2e/guide/console-block.ts';
import { type ControlPlane, startControlPlane } from '../support/control-plane.ts';
import { type OperatorProcess, startOperator } from '../support/operator-process.ts';
import { type PlainKubectl, plainKubectl } from '../support/plain-kubectl.ts';
import { installCrds } from './ray-api.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/production/multi-tenancy.md'), 'utf8');
const asTeam = ['--as', 'ann', '--as-group', 'team-a', '--as-group', 'system:authenticated'];

describe('the namespace of a team, by samples/multi-tenancy, with an operator of the secure profile', () => {
  let plane: ControlPlane;
  let kubectl: PlainKubectl;
  let operator: OperatorProcess;

  beforeAll(async () => {
    // Quotas need the controller that counts.
    plane = await startControlPlane({ controllerManager: true });
    await installCrds(plane);
    const { access, adminKubeconfig } = plane;
    kubectl = plainKubectl(join(access.assets, 'kubectl'), adminKubeconfig.path, access.folder);
    await untilQuotasCount('rayclusters.ray.io');
    const { status, stderr } = await kubectl(['apply', '-f', join(root, 'samples/multi-tenancy/team.yaml')]);
    if (status !== 0) throw new Error(stderr);
    operator = startOperator({
      args: ['--security-profile=secure'],
      env: { KUBECONFIG: plane.adminKubeconfig.path, OPERATOR_NAMESPACE: 'ray-system' },
    });
  }, 240_000);
  afterAll(async () => {
    await operator?.ended('SIGTERM');
    await plane?.stop();
  });

  /**
   * The quota controller looks for new kinds every 30 s. A quota that is created before is counted five minutes later, and nothing is admitted
   * until then; so quotas are created until one is counted at once.
   */
  async function untilQuotasCount(kind: string): Promise<void> {
    let probes = 0;
    const isCounted = async () => {
      const name = `probe-${probes++}`;
      await kubectl(['create', 'quota', name, `--hard=count/${kind}=1`]);
      await sleep(1_000);
      const { stdout } = await kubectl(['get', 'quota', name, '-o', 'jsonpath={.status.used}']);
      return stdout.includes(kind);
    };
    await vi.waitUntil(isCounted, { timeout: 120_000, interval: 100 });
    await kubectl(['delete', 'quota', '--all']);
  }

  it.each(stepsIn(page).map(({ command, expected }) => [command, expected] as const))(
    'the page is right about: %s',
    async (command, expected) => {
      const [program, ...args] = command.split(' ');
      expect(program).toBe('kubectl');
      const { stdout } = await kubectl([...args, '--as-group', 'system:authenticated']);
      expect(matches(stdout, expected)).toBe(true);
    },
  );

  it('lets the team create clusters there, and nowhere else', async () => {
    const own = await kubectl(['create', '-n', 'team-a', '-f', '-', ...asTeam], cluster('small'));
    expect(own).toMatchObject({ status: 0 });
    const foreign = await kubectl(['create', '-n', 'default', '-f', '-', ...asTeam], cluster('small'));
    expect(foreign.status).not.toBe(0);
    expect(foreign.stderr).toContain('forbidden');
  });

  it('gives a new cluster a token and NetworkPolicies beside the default that denies all', async () => {
    await eventually(async () => {
      const spec = await kubectl(['get', 'raycluster', 'small', '-n', 'team-a', '-o', 'jsonpath={.spec}']);
      expect(JSON.parse(spec.stdout)).toMatchObject({ authOptions: { mode: 'token' }, networkPolicy: {} });
      const policies = await kubectl(['get', 'networkpolicies', '-n', 'team-a', '-o', 'name']);
      expect(policies.stdout.split('\n').filter((line) => line.includes('small')).length).toBeGreaterThan(0);
      const secret = await kubectl(['get', 'secret', 'small', '-n', 'team-a', '-o', 'jsonpath={.data}']);
      expect(secret.stdout).toContain('auth_token');
    });
  });

  it('does not show the token to the team', async () => {
    const { status, stderr } = await kubectl(['get', 'secret', 'small', '-n', 'team-a', ...asTeam]);
    expect(status).not.toBe(0);
    expect(stderr).toContain('forbidden');
  });

  it('stops a cluster that is larger than the quota, and the cluster says why', async () => {
    await kubectl(['create', '-n', 'team-a', '-f', '-', ...asTeam], cluster('large', '64'));
    await eventually(async () => {
      const { stdout } = await kubectl(['get', 'events', '-n', 'team-a', ...asTeam]);
      expect(stdout).toMatch(/raycluster\/large .*exceeded quota: team/);
    });
  });

  it('limits the number of clusters', async () => {
    const create = (name: string) => kubectl(['create', '-n', 'team-a', '-f', '-', ...asTeam], cluster(name));
    await create('third');
    const { status, stderr } = await create('fourth');
    expect(status).not.toBe(0);
    expect(stderr).toContain('exceeded quota: team');
  });

  it('admits no pod that mounts the host, not even through a RayCluster', async () => {
    await kubectl(['delete', 'raycluster', 'third', '-n', 'team-a', ...asTeam]);
    const input = cluster('escape').replace('containers:', 'hostNetwork: true\n        containers:');
    await eventually(async () => {
      const { status } = await kubectl(['apply', '-n', 'team-a', '-f', '-', ...asTeam], input);
      expect(status).toBe(0);
    });
    await eventually(async () => {
      const { stdout } = await kubectl(['get', 'events', '-n', 'team-a', ...asTeam]);
      expect(stdout).toMatch(/raycluster\/escape .*violates PodSecurity "baseline/);
    });
  });
});

function cluster(name: string, cpu = '1'): string {
  return `apiVersion: ray.io/v1
kind: RayCluster
metadata: { name: ${name} }
spec:
  rayVersion: 2.53.0
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
          - name: ray-head
            image: rayproject/ray:2.53.0
            resources: { limits: { cpu: "${cpu}", memory: 2Gi } }
`;
}

function eventually(check: () => Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 30_000, interval: 300 });
}
