import { bool, embedded, int, list, map, object, type Schema, string } from './dsl.ts';
import { ingressTLS, podTemplateSpec, service } from './pod-template.gen.ts';

const rayStartParams = map(
  string(),
  'Flags of `ray start`, without the leading dashes: `num-cpus: "4"` becomes `--num-cpus=4`.',
);

const resources = map(
  string(),
  'Ray resources of each pod, such as CPU, GPU, memory or custom names. They take precedence over rayStartParams.',
);

const labels = map(
  string(),
  'Labels of the Ray node, for label-based scheduling in Ray. The pod gets the same labels.',
);

const ingressOptions = object(
  {
    host: string('Host name of the Ingress; any host if unset.'),
    path: string('Path of the dashboard; `/` if unset.'),
    pathType: string('How the Ingress matches the path; Prefix if unset.', {
      enum: ['Exact', 'Prefix', 'ImplementationSpecific'],
    }),
    tls: list(ingressTLS, 'Certificates of the Ingress, by host.'),
  },
  'Settings of the Ingress that enableIngress creates.',
);

/** The fields of `headGroupSpec`. */
export const headGroupFields = {
  template: embedded(podTemplateSpec, 'The head pod; its first container is the one that runs Ray.'),
  rayStartParams,
  serviceType: string('Type of the head Service and of the Serve Services: ClusterIP, NodePort or LoadBalancer.'),
  headService: embedded(service, 'Replaces parts of the head Service, such as its name, annotations, type and ports.'),
  enableIngress: bool('Creates an Ingress (on OpenShift a Route) for the Ray dashboard.'),
  ingressOptions,
  resources,
  labels,
};

const scaleStrategy = object(
  { workersToDelete: list(string(), 'Names of the worker pods to delete first. The Ray autoscaler writes this list.') },
  'Selects the worker pods to delete when the group scales down.',
);

/** The fields of an entry of `workerGroupSpecs`. */
export const workerGroupFields = {
  groupName: string('Name of this group, unique in the cluster.'),
  template: embedded(podTemplateSpec, 'The worker pods; the first container is the one that runs Ray.'),
  rayStartParams,
  replicas: int('Desired number of replicas, limited to the range from minReplicas to maxReplicas.', { default: 0 }),
  minReplicas: int('Minimum number of replicas.', { default: 0 }),
  maxReplicas: int('Maximum number of replicas.', { default: 2147483647 }),
  numOfHosts: int('Number of pods in one replica, for example the hosts of a TPU slice.', { default: 1 }),
  idleTimeoutSeconds: int('Idle time in seconds after which autoscaler v2 removes a worker of this group.'),
  priority: int('Order in which autoscaler v2 tries the groups; the highest priority comes first. Needs Ray 2.56.', {
    default: 0,
  }),
  scaleStrategy,
  suspend: bool('The operator sets this field to delete the workers of a finished RayJob. Users should not set it.'),
  resources,
  labels,
};

/** `headGroupSpec` of v1. */
export const headGroup: Schema = object(headGroupFields, 'The head of the Ray cluster.', { required: ['template'] });

/** `workerGroupSpecs` of v1; the autoscaler addresses groups by their position. */
export const workerGroups: Schema = list(
  object(workerGroupFields, undefined, { required: ['groupName', 'maxReplicas', 'minReplicas', 'template'] }),
  'Groups of worker pods. Append new groups at the end: the Ray autoscaler identifies a group by its position.',
);
