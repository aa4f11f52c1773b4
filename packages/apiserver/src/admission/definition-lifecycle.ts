import type { Store } from '../store/contract.ts';
import { forbidden } from '../status/errors.ts';
import { metaText } from '../object/metadata.ts';
import type { AdmissionPlugin } from './admission.ts';

/** Nothing is created of a kind whose definition is being deleted. */
export function definitionLifecycle(store: Store): AdmissionPlugin {
  return {
    mutate({ scope, operation, object }) {
      if (operation !== 'CREATE' || scope.version.isBuiltin) return object;
      const { group, plural } = scope.resource.info;
      const resource = 'apiextensions.k8s.io/customresourcedefinitions';
      const definition = store.get({ resource, namespace: '', name: `${plural}.${group}` });
      if (definition?.metadata.deletionTimestamp === undefined) return object;
      const why = 'create not allowed while custom resource definition is terminating';
      throw forbidden(scope.resource.info, metaText(object, 'name'), why);
    },
  };
}
