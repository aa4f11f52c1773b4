import { ownValue } from '@manta/base';
import type { ResourceName } from '../object/resource-info.ts';
import { valueAt } from '../registry/json-path.ts';
import type { PrinterColumn } from '../registry/printer-column.ts';
import {
  BINDING_COLUMNS,
  CONFIG_MAP_COLUMNS,
  INGRESS_CLASS_COLUMNS,
  NODE_COLUMNS,
  PRIORITY_COLUMNS,
  QUOTA_COLUMNS,
  SECRET_COLUMNS,
  WEBHOOK_COLUMNS,
} from './admin-columns.ts';
import { AGE, CREATED_AT, column, field, selectorText } from './column.ts';
import { POD_COLUMNS } from './pod-columns.ts';
import { ENDPOINT_SLICE_COLUMNS, ENDPOINTS_COLUMNS, INGRESS_COLUMNS, SERVICE_COLUMNS } from './service-columns.ts';
import { CLAIM_COLUMNS, STORAGE_CLASS_COLUMNS, VOLUME_COLUMNS } from './storage-columns.ts';
import { BUDGET_COLUMNS, EVENT_COLUMNS, JOB_COLUMNS, LEASE_COLUMNS, POD_TEMPLATE_COLUMNS } from './work-columns.ts';

const RBAC = 'rbac.authorization.k8s.io';

const COLUMNS: Readonly<Record<ResourceName, readonly PrinterColumn[]>> = {
  '/configmaps': CONFIG_MAP_COLUMNS,
  '/endpoints': ENDPOINTS_COLUMNS,
  '/events': EVENT_COLUMNS,
  'events.k8s.io/events': EVENT_COLUMNS,
  '/namespaces': [field('Status', 'status.phase'), AGE],
  '/nodes': NODE_COLUMNS,
  '/persistentvolumeclaims': CLAIM_COLUMNS,
  '/persistentvolumes': VOLUME_COLUMNS,
  '/pods': POD_COLUMNS,
  '/podtemplates': POD_TEMPLATE_COLUMNS,
  '/resourcequotas': QUOTA_COLUMNS,
  '/secrets': SECRET_COLUMNS,
  '/services': SERVICE_COLUMNS,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': WEBHOOK_COLUMNS,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': WEBHOOK_COLUMNS,
  'apiextensions.k8s.io/customresourcedefinitions': [CREATED_AT],
  'batch/jobs': JOB_COLUMNS,
  'coordination.k8s.io/leases': LEASE_COLUMNS,
  'discovery.k8s.io/endpointslices': ENDPOINT_SLICE_COLUMNS,
  'networking.k8s.io/ingressclasses': INGRESS_CLASS_COLUMNS,
  'networking.k8s.io/ingresses': INGRESS_COLUMNS,
  'networking.k8s.io/networkpolicies': [
    column('Pod-Selector', (policy) => selectorText(valueAt(policy, 'spec.podSelector'))),
    AGE,
  ],
  'policy/poddisruptionbudgets': BUDGET_COLUMNS,
  [`${RBAC}/clusterrolebindings`]: BINDING_COLUMNS,
  [`${RBAC}/clusterroles`]: [CREATED_AT],
  [`${RBAC}/rolebindings`]: BINDING_COLUMNS,
  [`${RBAC}/roles`]: [CREATED_AT],
  'scheduling.k8s.io/priorityclasses': PRIORITY_COLUMNS,
  'storage.k8s.io/storageclasses': STORAGE_CLASS_COLUMNS,
};

/** The columns of a built-in kind after its name, as kubectl shows them. */
export function builtinColumns(resource: ResourceName): readonly PrinterColumn[] {
  return ownValue(COLUMNS, resource) ?? [AGE];
}
