import { bool, embedded, int, list, map, object, type Schema, string } from './dsl.ts';
import { ingressTLS, podTemplateSpec, service } from './pod-template.gen.ts';

const rayStartParams = map(
  string(),
  'Flags of `ray start`, without the leading dashes: `num-cpus: "4"` becomes `--num-cpus=4`.',
);

const resources = map(
  string(),
  'Ray resources of each pod, such as CPU, GPU, memory or names of your own; they win over those in rayStartParams.',
);

const labels = map(string(), 'Labels of the Ray node, which Ray schedules by; the pod carries them too.');

const ingressOptions = object(
  {
    host: string('Host name that the Ingress answers to; any host when left out.'),
    path: string('Path of the dashboard; `/` when left out.'),
    pathType: string('How the path is matched; Prefix when left out.', {
      enum: ['Exact', 'Prefix', 'ImplementationSpecific'],
    }),
    tls: list(ingressTLS, 'Certificates of the Ingress, by host.'),
  },
  'Shapes the Ingress that enableIngress asks for.',
);

/** The fields of `headGroupSpec`. */
export const headGroupFields = {
  template: embedded(podTemplateSpec, 'The head pod; its first container is the one that runs Ray.'),
  rayStartParams,
  serviceType: string('Type of the head Service and of the Serve Services: ClusterIP, NodePort or LoadBalancer.'),
  headService: embedded(service, 'Replaces parts of the head Service, such as its name, annotations, type and ports.'),
  enableIngress: bool('Makes an Ingress (on OpenShift a Route) for the dashboard.'),
  ingressOptions,
  resources,
  labels,
};

const scaleStrategy = object(
  { workersToDelete: list(string(), 'Names of the worker pods to remove first; the Ray autoscaler writes them.') },
  'Says which worker pods go when the group shrinks.',
);

/** The fields of an entry of `workerGroupSpecs`. */
export const workerGroupFields = {
  groupName: string('Name of this group, unique in the cluster.'),
  template: embedded(podTemplateSpec, 'The worker pods; the first container is the one that runs Ray.'),
  rayStartParams,
  replicas: int('How many replicas to run now; kept between minReplicas and maxReplicas.', { default: 0 }),
  minReplicas: int('The fewest replicas that this group may have.', { default: 0 }),
  maxReplicas: int('The most replicas that this group may have.', { default: 2147483647 }),
  numOfHosts: int('How many pods make one replica, as for a TPU slice of several hosts.', { default: 1 }),
  idleTimeoutSeconds: int('How long a worker of this group may idle before autoscaler v2 removes it.'),
  priority: int('Which group autoscaler v2 tries first; higher comes first. Needs Ray 2.56.', { default: 0 }),
  scaleStrategy,
  suspend: bool('Set by the operator itself to take down the workers of a finished RayJob; not meant for users.'),
  resources,
  labels,
};

/** `headGroupSpec` of v1. */
export const headGroup: Schema = object(headGroupFields, 'The head of the Ray cluster.', { required: ['template'] });

/** `workerGroupSpecs` of v1; the autoscaler addresses groups by their position. */
export const workerGroups: Schema = list(
  object(workerGroupFields, undefined, { required: ['groupName', 'maxReplicas', 'minReplicas', 'template'] }),
  'The groups of worker pods. Append new ones: the Ray autoscaler tells groups apart by their position.',
);
