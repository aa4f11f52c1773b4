import type { KubeObject } from '@manta/api';
import { stringify } from 'yaml';
import { monitoringFiles } from './monitoring/files.ts';
import { renderChart } from './render-chart.ts';

/** The ways to install, and the chart's values that make each. */
const PROFILES = {
  full: { what: 'the whole cluster', values: {} },
  namespaced: { what: 'one namespace, with Roles only', values: { singleNamespaceInstall: true } },
  'no-rbac-writes': {
    what: 'the whole cluster, by an operator that may not write Roles and RoleBindings',
    values: { 'manta.rbacWrites': false },
  },
  webhooks: {
    what: 'the whole cluster, with validating webhooks whose certificate the operator makes itself',
    values: { 'manta.webhooks.enabled': true },
  },
} as const;

const MADE = '# Made by npm run deploy from charts/kuberay-operator; do not edit.\n';

/** Every file of deploy/ that is made, by its path there. They come from the chart, so that both ways to install give the same. */
export async function deployFiles(helm: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const [profile, { what, values }] of Object.entries(PROFILES)) {
    const objects = (await renderChart(helm, values)).map(watchOwnNamespace);
    files.set(`${profile}/operator.yaml`, MADE + objects.map((object) => `---\n${yaml(object)}`).join(''));
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      namespace: 'default',
      resources: ['operator.yaml'],
    };
    files.set(`${profile}/kustomization.yaml`, `${MADE}# The operator for ${what}.\n${yaml(kustomization)}`);
  }
  for (const [path, text] of monitoringFiles()) files.set(`monitoring/${path}`, text);
  return files;
}

// oxlint-disable-next-line typescript/no-explicit-any -- rendered objects are changed in one known place
function watchOwnNamespace(object: any): KubeObject {
  const container = object.kind === 'Deployment' ? object.spec.template.spec.containers[0] : undefined;
  const at = container?.args.indexOf('--watch-namespace=default') ?? -1;
  if (at < 0) return object;
  // Kustomize moves objects to another namespace, but knows nothing of flags.
  container.args[at] = '--watch-namespace=$(POD_NAMESPACE)';
  container.env = [{ name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }];
  return object;
}

function yaml(object: object): string {
  return stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
}
