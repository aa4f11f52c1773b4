import type { PodStatus, RayClusterStatus } from '@manta/api';
import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';
import { eventually } from '../../conformance/support/eventually.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SINCE = '2026-11-18T00:00:00Z';

/** `why`, `status` and `tree`. */
export function insightCases(on: () => CliStage): void {
  const broken = async () => {
    const name = on().unique('broken');
    await on().createdCluster(name);
    await on().setStatus(name, status(0, 'False'));
    await on().createdPod(name, `${name}-head`, 'head', false);
    await setPodStatus(on(), `${name}-head`, {
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: [
        {
          name: 'ray',
          image: 'ray:nope',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: 'ErrImagePull', message: 'manifest unknown' } },
        },
      ],
    });
    return name;
  };
  const healthy = async () => {
    const name = on().unique('healthy');
    await on().createdCluster(name);
    await on().setStatus(name, status(2, 'True'));
    await on().createdPod(name, `${name}-head`, 'head', true);
    await on().createdPod(name, `${name}-w1`, 'worker', true);
    await on().createdPod(name, `${name}-w2`, 'worker', true);
    return name;
  };

  describe('why', () => {
    it('names the cause in its first line, the way down to it, and what to do, with exit code 1', async () => {
      const name = await broken();
      const { code, stdout, stderr } = await on().ray(`why raycluster/${name}`);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      const lines = stdout.split('\n');
      expect(lines[0]).toBe(
        `✗ RayCluster ${on().namespace}/${name}: ImageNotFound: Pod/${name}-head cannot pull image ray:nope: the registry has no such image.`,
      );
      expect(lines).toContain(`  RayCluster/${name}  head not ready, 0 of 2 workers ready`);
      expect(lines).toContain(`  └─ Pod/${name}-head  pending`);
      expect(stdout).toMatch(/^ {2}To do {5}Correct the name or the tag/m);
    });

    it('ends with exit code 0 for a healthy object', async () => {
      const name = await healthy();
      const { code, stdout } = await on().ray(`why ${name}`);
      expect(stdout).toBe(`✓ RayCluster ${on().namespace}/${name} is healthy.\n`);
      expect(code).toBe(0);
    });

    it('gives the whole answer with -o json', async () => {
      const { stdout } = await on().ray(`why ${await broken()} -o json`);
      expect(JSON.parse(stdout)).toMatchObject({ health: 'unhealthy', cause: { code: 'ImageNotFound' } });
    });

    it('lists candidates when there is no such object', async () => {
      const name = await healthy();
      const { code, stderr } = await on().ray(`why raycluster/${name}x`);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        new RegExp(`^Error: RayCluster ${name}x not found in namespace .*In this namespace: .*raycluster/${name}`),
      );
    });

    it('works for a user who may only read Ray objects, and names the missing rights', async () => {
      const name = await broken();
      const user = on().unique('reader');
      await permitRayReads(on(), user);
      const { code, stdout } = await runCli(on().kubeconfigOf(user, []), ['-n', on().namespace, 'why', name]);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^✗ RayCluster .*: HeadNotReady: the head pod of .* is not ready: ErrImagePull/);
      expect(stdout).toMatch(
        /^ {2}Not read {2}you may not list pods, events\.events\.k8s\.io, .* in namespace [^;]+; nor list nodes/m,
      );
    });

    it('says which right is missing when not even the object may be read', async () => {
      const weak = on().kubeconfigOf('insight-weak', []);
      const { code, stderr } = await runCli(weak, ['-n', on().namespace, 'why', 'raycluster/x']);
      expect(code).toBe(4);
      expect(stderr).toMatch(/^Error: RayCluster x: you may not list rayclusters\.ray\.io in namespace /);
    });
  });

  describe('status', () => {
    it('lists all Ray resources, problems first', async () => {
      const [good, bad] = [await healthy(), await broken()];
      const { code, stdout } = await on().ray('status');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\d+ of \d+ Ray resources need attention\.\n/);
      expect(stdout.indexOf(`✗ raycluster/${bad}`)).toBeLessThan(stdout.indexOf(`✓ raycluster/${good}`));
      expect(stdout).toMatch(new RegExp(`✗ raycluster/${bad} .*\n {4}ImageNotFound: `));
    });

    it('shows one object with its parts and resources', async () => {
      const name = await healthy();
      const { stdout } = await on().ray(`status ${name}`);
      expect(stdout).toMatch(/✓ group workers 2 of 2 ready/);
      expect(stdout).toMatch(/ {2}cpu +1500m/);
    });

    it('draws the page again with -w until Ctrl-C', async () => {
      const name = await healthy();
      const stop = new AbortController();
      let shown = '';
      const onOutput = (text: string) => {
        if (shown === '') void on().setStatus(name, status(1, 'True'));
        shown += text;
        if (shown.includes('1 of 2 workers ready')) stop.abort();
      };
      const { code } = await on().ray(`status ${name} -w`, { signal: stop.signal, onOutput });
      expect(code).toBe(0);
      expect(shown).toMatch(/2 of 2 workers ready[\s\S]*1 of 2 workers ready/);
    });
  });

  describe('tree', () => {
    it('shows clusters, groups and pods', async () => {
      const name = await broken();
      const { code, stdout } = await on().ray(`tree ${name}`);
      expect(code).toBe(0);
      expect(stdout).toBe(
        [
          `✗ RayCluster/${name} head not ready, 0 of 2 workers ready`,
          '├─ ✗ group head 0 of 1 ready',
          `│  └─ ✗ Pod/${name}-head pending ImageNotFound`,
          '└─ … group workers 0 of 2 ready',
          '',
        ].join('\n'),
      );
    });
  });
}

function status(readyWorkers: number, head: 'True' | 'False'): RayClusterStatus {
  const reason = head === 'True' ? 'HeadPodRunningAndReady' : 'ErrImagePull';
  const condition = { type: 'HeadPodReady', status: head, reason, message: '', lastTransitionTime: SINCE } as const;
  return {
    observedGeneration: 1,
    desiredWorkerReplicas: 2,
    readyWorkerReplicas: readyWorkers,
    conditions: [condition],
  };
}

async function setPodStatus(stage: CliStage, name: string, body: PodStatus): Promise<void> {
  const patch = { type: 'merge', body: { status: body } } as const;
  await stage.admin.patch(resources.pods, { namespace: stage.namespace, name }, patch, { subresource: 'status' });
}

async function permitRayReads(stage: CliStage, user: string): Promise<void> {
  const { namespace } = stage;
  const rules = [{ apiGroups: ['ray.io'], resources: ['*'], verbs: ['get', 'list'] }];
  await stage.admin.create(resources.roles, { metadata: { name: user, namespace }, rules });
  await stage.admin.create(resources.roleBindings, {
    metadata: { name: user, namespace },
    roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  });
  // Servers learn of roles by watching.
  await eventually('the role to be known', async () => {
    const { code } = await runCli(stage.kubeconfigOf(user, []), ['-n', namespace, 'get', 'cluster']);
    return code === 0 ? true : undefined;
  });
}
