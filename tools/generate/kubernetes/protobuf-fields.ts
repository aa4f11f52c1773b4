import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { banner, type Generator } from './generator.ts';
import { kubernetesVersion, moduleFolder } from './openapi.ts';

const libraryVersion = kubernetesVersion.replace('v1.', 'v0.');
const target = 'packages/apiserver/src/protobuf/fields.gen.ts';

/** Folders of message definitions, by the short name that the table gives their package. */
const packages: Readonly<Record<string, readonly [module: string, folder: string]>> = {
  admissionregistration: ['k8s.io/api', 'admissionregistration/v1'],
  authentication: ['k8s.io/api', 'authentication/v1'],
  authorization: ['k8s.io/api', 'authorization/v1'],
  autoscaling: ['k8s.io/api', 'autoscaling/v1'],
  batch: ['k8s.io/api', 'batch/v1'],
  coordination: ['k8s.io/api', 'coordination/v1'],
  core: ['k8s.io/api', 'core/v1'],
  discovery: ['k8s.io/api', 'discovery/v1'],
  events: ['k8s.io/api', 'events/v1'],
  networking: ['k8s.io/api', 'networking/v1'],
  policy: ['k8s.io/api', 'policy/v1'],
  rbac: ['k8s.io/api', 'rbac/v1'],
  scheduling: ['k8s.io/api', 'scheduling/v1'],
  storage: ['k8s.io/api', 'storage/v1'],
  meta: ['k8s.io/apimachinery', 'pkg/apis/meta/v1'],
  resource: ['k8s.io/apimachinery', 'pkg/api/resource'],
  runtime: ['k8s.io/apimachinery', 'pkg/runtime'],
  intstr: ['k8s.io/apimachinery', 'pkg/util/intstr'],
};

/** Messages whose fields JSON shows as fields of the message that holds them. */
const inlined = new Set([
  'volumeSource',
  'handler',
  'persistentVolumeSource',
  'ephemeralContainerCommon',
  'localObjectReference',
  'ingressRuleValue',
]);

/** Fields that JSON calls otherwise. */
const renamed: Readonly<Record<string, string>> = { Webhooks: 'webhooks', uID: 'uid', aPIGroup: 'apiGroup' };

/** The kinds that clients send; all other messages are taken along as far as these refer to them. */
const kinds = [
  'admissionregistration.ValidatingWebhookConfiguration',
  'admissionregistration.MutatingWebhookConfiguration',
  'authentication.SelfSubjectReview',
  'authentication.TokenRequest',
  'authentication.TokenReview',
  'authorization.LocalSubjectAccessReview',
  'authorization.SelfSubjectAccessReview',
  'authorization.SelfSubjectRulesReview',
  'authorization.SubjectAccessReview',
  'autoscaling.Scale',
  'batch.Job',
  'coordination.Lease',
  'Binding',
  'ConfigMap',
  'Endpoints',
  'Event',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceQuota',
  'Secret',
  'Service',
  'ServiceAccount',
  'discovery.EndpointSlice',
  'events.Event',
  'meta.DeleteOptions',
  'networking.Ingress',
  'networking.IngressClass',
  'networking.NetworkPolicy',
  'policy.Eviction',
  'policy.PodDisruptionBudget',
  'rbac.ClusterRole',
  'rbac.ClusterRoleBinding',
  'rbac.Role',
  'rbac.RoleBinding',
  'scheduling.PriorityClass',
  'storage.StorageClass',
].map((kind) => (kind.includes('.') ? kind : `core.${kind}`));

/** The field numbers of Kubernetes' messages, so that the engine can read what typed clients send. */
export const protobufFields: Generator = {
  name: 'protobuf-fields',
  generate: async () => {
    const messages = new Map<string, string>();
    for (const [name, [module, folder]] of Object.entries(packages)) {
      const root = await moduleFolder(`${module}@${libraryVersion}`);
      const source = await readFile(join(root, folder, 'generated.proto'), 'utf8');
      for (const [message, fields] of parseMessages(source, name)) messages.set(message, fields);
    }
    const lines = [...reachable(messages)].toSorted().map((name) => `  '${name}': '${messages.get(name) ?? ''}',`);
    const comment = `
/**
 * Messages by name: their fields, \`name:number:type\` each. \`[]\` before a type says that there are many, \`{}\` that it is the value of
 * a map by text. A field without a name lends the message its own fields.
 */
`;
    const body = `export const messageTexts: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`;
    return [{ path: target, content: `${banner(`Kubernetes ${kubernetesVersion}`)}${comment}${body}` }];
  },
};

function parseMessages(source: string, own: string): ReadonlyMap<string, string> {
  const messages = new Map<string, string>();
  for (const [, name = '', body = ''] of source.matchAll(/^message (\w+) \{([\s\S]*?)^\}/gm)) {
    const fields = [...body.matchAll(/^ {2}(optional|repeated|map<string, ([\w.]+)>) ?([\w.]*) (\w+) = (\d+);/gm)];
    messages.set(`${own}.${name}`, fields.map((field) => fieldText(field, own)).join(' '));
  }
  return messages;
}

function fieldText([, label = '', mapValue, type = '', name = '', number = '']: RegExpExecArray, own: string): string {
  const shown =
    inlined.has(name) || (name === 'rule' && own === 'admissionregistration') ? '' : (renamed[name] ?? name);
  if (mapValue !== undefined) return `${shown}:${number}:{}${qualified(mapValue, own)}`;
  return `${shown}:${number}:${label === 'repeated' ? '[]' : ''}${qualified(type, own)}`;
}

function qualified(type: string, own: string): string {
  if (/^[a-z]/.test(type)) return type;
  if (!type.startsWith('.')) return `${own}.${type}`;
  const path = type
    .slice(1, type.lastIndexOf('.'))
    .replaceAll('.', '/')
    .replace(/^k8s\/io/, 'k8s.io');
  const found = Object.entries(packages).find(([, [module, folder]]) => `${module}/${folder}` === path);
  return `${found?.[0] ?? path}.${type.slice(type.lastIndexOf('.') + 1)}`;
}

function reachable(messages: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const fields = messages.get(name);
    if (fields === undefined || found.has(name)) return;
    found.add(name);
    for (const field of fields.split(' ')) visit((field.split(':')[2] ?? '').replace(/^(\[\]|\{\})/, ''));
  };
  for (const kind of kinds) visit(kind);
  return found;
}
