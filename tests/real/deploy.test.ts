import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { clusterRole, PROFILES } from '@manta/operator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { deployFiles } from '../../tools/ship/deploy/manifests.ts';
import { provideHelm } from '../../tools/fetch/helm/provide.ts';
import { installPrometheusCrds } from '../support/published-crds.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { installCrds } from './ray-api.ts';

const root = resolve(import.meta.dirname, '../..');
const plane = sharedControlPlane();
const execute = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'manta-deploy-'));
const kubectl = join(process.env['MANTA_KUBE_ASSETS'] ?? '', 'kubectl');

/** An object as kustomize builds it; tests look wherever they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- built objects are read freely and asserted on
type Built = any;

beforeAll(() => installCrds(plane));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function built(path: string): Promise<readonly Built[]> {
  const { stdout } = await execute(kubectl, ['kustomize', path, '--load-restrictor=LoadRestrictionsNone'], {
    maxBuffer: 1 << 26,
  });
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

const find = (objects: readonly Built[], kind: string, name: string): Built =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);

it('the manifests are what the chart makes; "npm run deploy" brings them up to date', async () => {
  const files = await deployFiles(await provideHelm());
  const stale = [...files].filter(([path, text]) => {
    const file = join(root, 'deploy', path);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  expect(stale.map(([path]) => path)).toEqual([]);
}, 900_000);

describe('kubectl apply -k', () => {
  it.each(['full', 'namespaced', 'no-rbac-writes', 'webhooks'])(
    'of deploy/%s is taken by the API server, object by object',
    async (profile) => {
      const kubeconfig = ['--kubeconfig', plane.adminKubeconfig.path];
      const apply = ['apply', '--dry-run=server', '-o', 'name', '-k', join(root, 'deploy', profile)];
      const { stdout } = await execute(kubectl, [...kubeconfig, ...apply]);
      expect(stdout.trim().split('\n')).toHaveLength((await built(join(root, 'deploy', profile))).length);
      expect(stdout).toContain('deployment.apps/kuberay-operator');
    },
  );

  it('grants the whole role, the namespaced one in its namespace only, or one that cannot write roles', async () => {
    const full = await built(join(root, 'deploy/full'));
    expect(find(full, 'ClusterRole', 'kuberay-operator').rules).toEqual(clusterRole([]).rules);
    const namespaced = await built(join(root, 'deploy/namespaced'));
    expect(namespaced.map(({ kind }) => kind)).not.toContain('ClusterRole');
    expect(find(namespaced, 'Role', 'kuberay-operator').rules).toEqual(clusterRole([]).rules);
    const careful = await built(join(root, 'deploy/no-rbac-writes'));
    expect(find(careful, 'ClusterRole', 'kuberay-operator').rules).toEqual(
      clusterRole([], { rbacWrites: false }).rules,
    );
    expect(PROFILES).toContain('webhook-certificates');
  });

  it('moves everything that has to move to another namespace', async () => {
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      `namespace: ray-system\nresources: [../${join('..', root, 'deploy/webhooks')}]\n`,
    );
    const objects = await built(folder);
    const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    expect([...namespaces]).toEqual(['ray-system']);
    const binding = find(objects, 'ClusterRoleBinding', 'kuberay-operator');
    expect(binding.subjects[0].namespace).toBe('ray-system');
    const hooks = find(objects, 'ValidatingWebhookConfiguration', 'kuberay-operator-webhooks');
    expect(hooks.webhooks[0].clientConfig.service.namespace).toBe('ray-system');
  });

  it('of the namespaced profile watches the namespace that it is in, whatever its name', async () => {
    const [container] = find(await built(join(root, 'deploy/namespaced')), 'Deployment', 'kuberay-operator').spec
      .template.spec.containers;
    expect(container.args).toContain('--watch-namespace=$(POD_NAMESPACE)');
    expect(container.env).toEqual([
      { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    ]);
  });
});

describe("kubectl apply -k of deploy/monitoring, by the Prometheus operator's own definitions", () => {
  const kubeconfig = ['--kubeconfig', plane.adminKubeconfig.path];
  const apply = (path: string) =>
    execute(kubectl, [...kubeconfig, 'apply', '--dry-run=server', '-o', 'name', '-k', path]);

  beforeAll(async () => {
    await installPrometheusCrds(plane);
    await plane.request('POST', '/api/v1/namespaces', { metadata: { name: 'prometheus-system' } });
  }, 300_000);

  it('is taken, object by object', async () => {
    const { stdout } = await apply(join(root, 'deploy/monitoring'));
    const names = stdout.trim().split('\n');
    expect(names).toHaveLength((await built(join(root, 'deploy/monitoring'))).length);
    expect(names.filter((name) => !name.startsWith('configmap/')).toSorted()).toEqual([
      'podmonitor.monitoring.coreos.com/ray-head-monitor',
      'podmonitor.monitoring.coreos.com/ray-workers-monitor',
      'prometheusrule.monitoring.coreos.com/ray-rules',
      'servicemonitor.monitoring.coreos.com/kuberay-operator',
    ]);
  });

  it.each([
    ['a field that it does not have', 'honorLabels: true', 'honourLabels: true', /unknown field.*honourLabels/],
    ['an interval that is none', 'interval: 30s', 'interval: often', /interval.*should match/],
  ])('would not be with %s', async (_, right, wrong, told) => {
    const text = readFileSync(join(root, 'deploy/monitoring/service-monitor.yaml'), 'utf8');
    expect(text).toContain(right);
    const broken = mkdtempSync(join(folder, 'broken-'));
    writeFileSync(join(broken, 'monitor.yaml'), text.replace(right, wrong));
    writeFileSync(join(broken, 'kustomization.yaml'), 'namespace: prometheus-system\nresources: [monitor.yaml]\n');
    await expect(apply(broken)).rejects.toThrow(told);
  });
});
