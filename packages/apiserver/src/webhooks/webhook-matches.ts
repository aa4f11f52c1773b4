import type { Store } from '../store/contract.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { labelsOf } from '../object/metadata.ts';
import { matchesLabelSelector } from '../selectors/object-selector.ts';
import type { Webhook, WebhookRule } from './webhook.ts';

/** Whether a webhook wants to be asked about a request. */
export function webhookMatches(store: Store, webhook: Webhook, attributes: AdmissionAttributes): boolean {
  return (
    webhook.rules.some((rule) => ruleMatches(rule, attributes)) &&
    matchesNamespace(store, webhook, attributes) &&
    [attributes.object, attributes.old].some(
      (object) => object !== undefined && matchesLabelSelector(webhook.objectSelector, labelsOf(object)),
    )
  );
}

function ruleMatches(rule: WebhookRule, { scope, operation }: AdmissionAttributes): boolean {
  const { group, plural, isNamespaced, versions } = scope.resource.info;
  const resource = scope.subresource === '' ? plural : `${plural}/${scope.subresource}`;
  const patterns =
    scope.subresource === '' ? [resource, '*', '*/*'] : [resource, `${plural}/*`, `*/${scope.subresource}`, '*/*'];
  return (
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, group) &&
    (rule.apiVersions.includes('*') || versions.some((version) => rule.apiVersions.includes(version))) &&
    patterns.some((pattern) => rule.resources.includes(pattern)) &&
    (rule.scope === '*' || rule.scope === (isNamespaced ? 'Namespaced' : 'Cluster'))
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** Objects outside namespaces match any selector; a namespace is judged by its own labels. */
function matchesNamespace(
  store: Store,
  { namespaceSelector }: Webhook,
  { scope, object, old }: AdmissionAttributes,
): boolean {
  const { info } = scope.resource;
  if (info.group === '' && info.kind === 'Namespace') {
    return matchesLabelSelector(namespaceSelector, labelsOf(object ?? old ?? {}));
  }
  if (!info.isNamespaced) return true;
  const namespace = store.get({ resource: '/namespaces', namespace: '', name: scope.namespace });
  return matchesLabelSelector(namespaceSelector, namespace === undefined ? {} : labelsOf(namespace));
}
