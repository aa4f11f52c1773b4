import { stringify } from 'yaml';
import type { Kubectl, KubectlAnswer } from './kubectl-run.ts';

const pod = (name: string) => ({ spec: { containers: [{ name, image: 'rayproject/ray:2.52.0' }] } });

/** A cluster that our operator leaves to somebody else, so that nothing but the server and kubectl touches it. */
export function cluster(replicas: number, extra: object = {}): string {
  return stringify({
    apiVersion: 'ray.io/v1',
    kind: 'RayCluster',
    metadata: { name: 'c', labels: { team: 'a' } },
    spec: {
      managedBy: 'kueue.x-k8s.io/multikueue',
      headGroupSpec: { rayStartParams: {}, template: pod('head') },
      workerGroupSpecs: [
        { groupName: 'w', replicas, minReplicas: 0, maxReplicas: 9, rayStartParams: {}, template: pod('worker') },
      ],
      ...extra,
    },
  });
}

const service = (ports: readonly object[]) =>
  stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { clusterIP: 'None', selector: { app: 'x' }, ports },
  });
const http = { name: 'http', port: 80 };

/** What people do with kubectl, in order; both servers get the same. */
export const KUBECTL_STEPS: Readonly<Record<string, (kubectl: Kubectl) => Promise<KubectlAnswer>>> = {
  'api-resources lists our kinds': (kubectl) => kubectl(['api-resources', '--api-group=ray.io', '-o', 'wide']),
  'apply --dry-run=server stores nothing': (kubectl) =>
    kubectl(['apply', '--dry-run=server', '-f', '-'], { input: cluster(1) }),
  'diff of what is not there shows all of it': (kubectl) => kubectl(['diff', '-f', '-'], { input: cluster(1) }),
  'apply makes': (kubectl) => kubectl(['apply', '-f', '-'], { input: cluster(1) }),
  'apply of the same': (kubectl) => kubectl(['apply', '-f', '-'], { input: cluster(1) }),
  'get -o wide': (kubectl) => kubectl(['get', 'rayclusters', '-o', 'wide']),
  'get with labels and custom columns': (kubectl) =>
    kubectl([
      'get',
      'raycluster',
      '-l',
      'team=a',
      '-o',
      'custom-columns=N:.metadata.name,R:.spec.workerGroupSpecs[0].replicas',
    ]),
  'get -o yaml with the managers of fields': (kubectl) =>
    kubectl(['get', 'raycluster', 'c', '-o', 'yaml', '--show-managed-fields']),
  'diff of a change': (kubectl) => kubectl(['diff', '-f', '-'], { input: cluster(2) }),
  'apply changes': (kubectl) => kubectl(['apply', '-f', '-'], { input: cluster(2) }),
  'server-side apply by another manager conflicts': (kubectl) =>
    kubectl(['apply', '--server-side', '--field-manager=other', '-f', '-'], { input: cluster(3) }),
  'server-side apply by force': (kubectl) =>
    kubectl(['apply', '--server-side', '--field-manager=other', '--force-conflicts', '-f', '-'], { input: cluster(3) }),
  'server-side diff': (kubectl) =>
    kubectl(['diff', '--server-side', '--field-manager=other', '-f', '-'], { input: cluster(4) }),
  'the managers after that': (kubectl) => kubectl(['get', 'raycluster', 'c', '-o', 'json', '--show-managed-fields']),
  describe: (kubectl) => kubectl(['describe', 'raycluster', 'c']),
  'explain what a kind of ours holds': (kubectl) => kubectl(['explain', 'raycluster.spec']),
  'explain a field of ours': (kubectl) => kubectl(['explain', 'raycluster.spec.workerGroupSpecs.scaleStrategy']),
  'explain all of it': (kubectl) => kubectl(['explain', 'rayjob.spec', '--recursive']),
  'explain what is not there': (kubectl) => kubectl(['explain', 'raycluster.spec.nope']),
  'patch by merge': (kubectl) =>
    kubectl(['patch', 'raycluster', 'c', '--type=merge', '-p', '{"spec":{"suspend":true}}']),
  'patch by JSON patch': (kubectl) =>
    kubectl([
      'patch',
      'raycluster',
      'c',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/suspend","value":false}]',
    ]),
  'a JSON patch that does not apply': (kubectl) =>
    kubectl(['patch', 'raycluster', 'c', '--type=json', '-p', '[{"op":"remove","path":"/spec/nope"}]']),
  'a strategic patch of a kind that has none': (kubectl) =>
    kubectl(['patch', 'raycluster', 'c', '-p', '{"spec":{"suspend":true}}']),
  'label and annotate': (kubectl) => kubectl(['label', 'raycluster', 'c', 'team=b', 'x=y', '--overwrite']),
  'an unknown field is refused': (kubectl) => kubectl(['apply', '-f', '-'], { input: cluster(1, { nope: 1 }) }),
  'a wrong type is refused': (kubectl) =>
    kubectl(['apply', '-f', '-', '--validate=false'], { input: cluster(1, { suspend: 'perhaps' }) }),
  'a kind that nobody knows': (kubectl) =>
    kubectl(['apply', '-f', '-'], { input: stringify({ apiVersion: 'x.io/v1', kind: 'Y', metadata: { name: 'y' } }) }),
  'get of what is not there': (kubectl) => kubectl(['get', 'raycluster', 'nope']),
  'a built-in kind, applied': (kubectl) => kubectl(['apply', '-f', '-'], { input: service([http]) }),
  'a built-in kind, a list item more': (kubectl) =>
    kubectl(['apply', '-f', '-'], { input: service([http, { name: 'https', port: 443 }]) }),
  'a built-in kind, patched by list key': (kubectl) =>
    kubectl(['patch', 'service', 's', '-p', '{"spec":{"ports":[{"port":443,"name":"tls"}]}}']),
  'a built-in kind, as YAML': (kubectl) => kubectl(['get', 'service', 's', '-o', 'yaml', '--show-managed-fields']),
  'a built-in kind, as a table': (kubectl) => kubectl(['get', 'service,configmap', '-o', 'wide', '-l', 'no=match']),
  replace: (kubectl) => kubectl(['replace', '-f', '-'], { input: service([http]) }),
  'create what is there': (kubectl) => kubectl(['create', '-f', '-'], { input: service([http]) }),
  'create configmap': (kubectl) => kubectl(['create', 'configmap', 'cm', '--from-literal=a=1']),
  'a built-in kind, described': (kubectl) => kubectl(['describe', 'configmap', 'cm']),
  'get -w sees changes': (kubectl) =>
    kubectl(['get', 'raycluster', 'c', '-w', '-o', 'custom-columns=N:.metadata.name,L:.metadata.labels.team'], {
      lines: 3,
      onFirstLine: () => kubectl(['label', 'raycluster', 'c', 'team=c', '--overwrite']),
    }),
  'get -w -o wide sees them in its table': (kubectl) =>
    kubectl(['get', 'raycluster', 'c', '-w', '-o', 'wide'], {
      lines: 3,
      onFirstLine: () => kubectl(['label', 'raycluster', 'c', 'x=z', '--overwrite']),
    }),
  'wait for a value': (kubectl) =>
    kubectl(['wait', 'raycluster/c', '--for=jsonpath={.metadata.labels.team}=c', '--timeout=10s']),
  'may the administrator': (kubectl) => kubectl(['auth', 'can-i', 'delete', 'rayclusters.ray.io']),
  'may somebody else': (kubectl) => kubectl(['auth', 'can-i', 'delete', 'rayclusters.ray.io', '--as=bob']),
  'somebody else is refused': (kubectl) => kubectl(['get', 'rayclusters', '--as=bob']),
  'delete --cascade=background': (kubectl) => kubectl(['delete', 'raycluster', 'c', '--cascade=background']),
  'delete what is not there': (kubectl) => kubectl(['delete', 'raycluster', 'c']),
  'delete all of a kind': (kubectl) => kubectl(['delete', 'service', '--all']),
};
