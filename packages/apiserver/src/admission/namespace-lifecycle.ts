import { StatusError } from '../status/status-error.ts';
import type { Store } from '../store/contract.ts';
import { forbidden, notFound } from '../status/errors.ts';
import { metaText } from '../object/metadata.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

const NAMESPACES = { group: '', plural: 'namespaces' } as const;
const IMMORTAL: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** Nothing is created in a namespace that does not exist or is on its way out, and some namespaces cannot be deleted. */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    mutate(attributes) {
      check(store, attributes);
      return attributes.object;
    },
    validate(attributes) {
      const { scope, operation } = attributes;
      const { info } = scope.resource;
      if (operation === 'DELETE' && info.kind === 'Namespace' && info.group === '' && IMMORTAL.includes(scope.name)) {
        throw forbidden(NAMESPACES, scope.name, 'this namespace may not be deleted');
      }
      return undefined;
    },
  };
}

function check(store: Store, { scope, operation, object }: AdmissionAttributes): void {
  if (operation !== 'CREATE' || !scope.resource.info.isNamespaced) return;
  const namespace = store.get({ resource: '/namespaces', namespace: '', name: scope.namespace });
  if (namespace === undefined) throw notFound(NAMESPACES, scope.namespace);
  if (namespace.metadata.deletionTimestamp === undefined) return;
  const name = scope.name || metaText(object ?? {}, 'name');
  const why = `unable to create new content in namespace ${scope.namespace} because it is being terminated`;
  const refusal = forbidden(scope.resource.info, name, why);
  const message = `namespace ${scope.namespace} is being terminated`;
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }];
  throw new StatusError(403, 'Forbidden', refusal.message, { ...refusal.details, causes });
}
