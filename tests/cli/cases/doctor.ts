import { resources } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import type { CliStage } from '../cli-stage.ts';
import { runCli } from '../run-cli.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** `doctor`. */
export function doctorCases(on: () => CliStage): void {
  const lines = (stdout: string) => stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));

  describe('doctor', () => {
    it('checks server, operator, CRDs, rights, webhooks, quota, finalizers, Gateways and vulnerabilities', async () => {
      const { stdout, stderr } = await on().ray('doctor');
      expect(stderr).toBe('');
      expect(lines(stdout)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^✓ API server {2}Kubernetes v1\./),
          '! operator  no Deployment of an operator',
          '✓ CRD RayCluster  has every field that this version knows',
          '✓ CRD RayCronJob  has every field that this version knows',
          `✓ your rights  you may use every command in namespace ${on().namespace}`,
          '✓ finalizers  no deletion is stuck',
        ]),
      );
      expect(stdout).toMatch(/\n\d+ ok, \d+ warnings, \d+ failed\.\n$/);
    });

    it('fails for a dashboard that is open to others without a token, with a hint: exit code 1', async () => {
      const name = on().unique('exposed');
      const template = { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.52.0' }] } };
      await on().createdCluster(name, { headGroupSpec: { rayStartParams: {}, serviceType: 'NodePort', template } });
      const { code, stdout } = await on().ray('doctor');
      expect(code).toBe(1);
      expect(stdout).toContain('CVE-2023-48022: dashboards open to others without a token: ');
      expect(stdout).toContain(`${on().namespace}/${name}`);
      expect(stdout).toMatch(/→ Anyone who reaches the dashboard runs code\. Set authOptions\.mode: token/);
      await on().admin.delete(resources.rayClusters, { namespace: on().namespace, name });
    });

    it('warns about a Ray version with a known vulnerability, also as JSON', async () => {
      const name = on().unique('aged');
      const template = { spec: { containers: [{ name: 'ray-head', image: 'rayproject/ray:2.53.0-gpu' }] } };
      await on().createdCluster(name, { headGroupSpec: { rayStartParams: {}, template } });
      const { code, stdout } = await on().ray('doctor -o json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toContainEqual({
        check: 'Ray security',
        state: 'warning',
        says: expect.stringContaining(`${on().namespace}/${name}`),
        hint: expect.stringContaining('Ray 2.54'),
      });
      await on().admin.delete(resources.rayClusters, { namespace: on().namespace, name });
    });

    it('before an installation says that the user may install, and that CRDs may be missing', async () => {
      const { code, stdout } = await on().ray('doctor --pre');
      expect(code).toBe(0);
      expect(lines(stdout)).toContain('✓ your rights  you may install an operator');
    });

    it('names the rights that a viewer of Ray objects lacks', async () => {
      const user = on().unique('viewer');
      const rules = [{ apiGroups: ['ray.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
      const { namespace } = on();
      await on().admin.create(resources.roles, { metadata: { name: user, namespace }, rules });
      await on().admin.create(resources.roleBindings, {
        metadata: { name: user, namespace },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
        subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
      });
      const { code, stdout } = await runCli(on().kubeconfigOf(user, []), ['-n', namespace, 'doctor']);
      expect(code).toBe(0);
      expect(lines(stdout)).toContain('? CRDs  you may not list customresourcedefinitions.apiextensions.k8s.io');
      expect(stdout).toMatch(/! your rights +you may not create rayjobs \(run, job submit\), /);
      expect(stdout).toMatch(/, \d+ not allowed to check\.\n$/);
    });
  });
}
