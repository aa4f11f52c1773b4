import { mapPart, part, parts, text, texts, withDefaults } from '../read.ts';
import { constants, type SetDefaults } from './set-defaults.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

const binding: SetDefaults = (object) =>
  mapPart(object, 'roleRef', (ref) => (text(ref, 'apiGroup') === '' ? { ...ref, apiGroup: rbacGroup } : ref));

const subject: SetDefaults = (object) => {
  const kind = text(object, 'kind');
  return kind === 'User' || kind === 'Group' ? withDefaults(object, { apiGroup: rbacGroup }) : object;
};

const webhook = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const definition: SetDefaults = (object) => {
  const spec = mapPart(object, 'spec', (given) =>
    withDefaults(mapPart(given, 'names', names), { conversion: { strategy: 'None' } }),
  );
  return mapPart(spec, 'status', (status) => {
    if (texts(status, 'storedVersions').length > 0) return status;
    const storage = parts(part(spec, 'spec'), 'versions').find((version) => version['storage'] === true);
    return storage === undefined ? status : { ...status, storedVersions: [text(storage, 'name')] };
  });
};

const names: SetDefaults = (given) => {
  const kind = text(given, 'kind');
  return withDefaults(given, { singular: kind.toLowerCase(), ...(kind === '' ? {} : { listKind: `${kind}List` }) });
};

/** Defaults of what administers a cluster, by Go type. */
export const adminDefaults: Readonly<Record<string, SetDefaults>> = {
  'admissionregistration.MutatingWebhook': constants({ ...webhook, reinvocationPolicy: 'Never' }),
  'admissionregistration.RuleWithOperations': constants({ scope: '*' }),
  'admissionregistration.ServiceReference': constants({ port: 443 }),
  'admissionregistration.ValidatingWebhook': constants(webhook),
  'apiextensions.CustomResourceDefinition': definition,
  'apiextensions.ServiceReference': constants({ port: 443 }),
  'authentication.TokenRequestSpec': constants({ expirationSeconds: 3600 }),
  'rbac.ClusterRoleBinding': binding,
  'rbac.RoleBinding': binding,
  'rbac.Subject': subject,
  'scheduling.PriorityClass': constants({ preemptionPolicy: 'PreemptLowerPriority' }),
  'storage.StorageClass': constants({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
};
