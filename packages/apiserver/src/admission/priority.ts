import { isObject } from '../object/json.ts';
import type { Store } from '../store/contract.ts';
import { forbidden } from '../status/errors.ts';
import { textAt } from '../registry/json-path.ts';
import { metaText } from '../object/metadata.ts';
import { asJson } from '../object/stored-json.ts';
import type { AdmissionPlugin } from './admission.ts';

const CLASSES = 'scheduling.k8s.io/priorityclasses';

/** Pods get the priority of the class that they name, or of the one that is the default of all. */
export function priorityPlugin(store: Store): AdmissionPlugin {
  return {
    mutate({ scope, operation, object }) {
      const { group, kind } = scope.resource.info;
      const isPod = group === '' && kind === 'Pod' && scope.subresource === '';
      const spec = object['spec'];
      if (!isPod || operation !== 'CREATE' || !isObject(spec)) return object;
      const name = textAt(spec, 'priorityClassName');
      const found =
        name === ''
          ? store.list(CLASSES).find((candidate) => asJson(candidate)['globalDefault'] === true)
          : store.get({ resource: CLASSES, namespace: '', name });
      if (found === undefined) {
        if (name === '') return object;
        throw forbidden(scope.resource.info, metaText(object, 'name'), `no PriorityClass with name ${name} was found`);
      }
      const { value = 0, preemptionPolicy = 'PreemptLowerPriority' } = asJson(found);
      const priority = { priorityClassName: found.metadata.name, priority: value, preemptionPolicy };
      return { ...object, spec: { ...spec, ...priority } };
    },
  };
}
