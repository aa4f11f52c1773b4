import { list, object, rule, type Schema, string } from './dsl.ts';
import { condition } from './pod-template.gen.ts';

/** The controller that a Ray object is left to; ours unless another one is named, and fixed once given. */
export const managedBy: Schema = string('Controller that reconciles this object; this operator if unset. Immutable.', {
  rules: [
    rule('self == oldSelf', 'the managedBy field is immutable'),
    rule(
      "self in ['ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue']",
      "the managedBy field value must be either 'ray.io/kuberay-operator' or 'kueue.x-k8s.io/multikueue'",
    ),
  ],
});

/** The standard list of conditions, one entry per type. */
export const conditions: Schema = list(condition, 'Conditions of this object, one entry per type.', {
  keys: ['type'],
});

/** A custom resource as a whole: none of its parts is required by the schema. */
export function root(spec: Schema, status: Schema, description: string): Schema {
  const fields = {
    apiVersion: string('API version of this object.'),
    kind: string('The kind of this object.'),
    metadata: { type: 'object' },
    spec,
    status,
  };
  return object(fields, description);
}
