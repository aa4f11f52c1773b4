import { list, object, rule, type Schema, string } from './dsl.ts';
import { condition } from './pod-template.gen.ts';

/** The controller that a Ray object is left to; ours unless another one is named, and fixed once given. */
export const managedBy: Schema = string(
  'Names the controller that looks after this object; leave it out to have this operator do so. It cannot change later.',
  {
    rules: [
      rule('self == oldSelf', 'the managedBy field is immutable'),
      rule(
        "self in ['ray.io/kuberay-operator', 'kueue.x-k8s.io/multikueue']",
        "the managedBy field value must be either 'ray.io/kuberay-operator' or 'kueue.x-k8s.io/multikueue'",
      ),
    ],
  },
);

/** The standard list of conditions, one entry per type. */
export const conditions: Schema = list(condition, 'What is currently true of this object, one entry per type.', {
  keys: ['type'],
});

/** A custom resource as a whole: none of its parts is required by the schema. */
export function root(spec: Schema, status: Schema, description: string): Schema {
  const fields = {
    apiVersion: string('The version of the API that this object is written in.'),
    kind: string('The kind of this object.'),
    metadata: { type: 'object' },
    spec,
    status,
  };
  return object(fields, description);
}
