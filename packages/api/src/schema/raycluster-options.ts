import { bool, embedded, int, list, object, quantity, rule, type Schema, string } from './dsl.ts';
import {
  envFromSource,
  envVar,
  envVarSource,
  networkPolicyEgressRule,
  networkPolicyIngressRule,
  resourceRequirements,
  securityContext,
  volumeMount,
} from './pod-template.gen.ts';

/** The fields of `autoscalerOptions`. */
export const autoscalerFields = {
  version: string('Version of the Ray autoscaler. Ray chooses if unset.', { enum: ['v1', 'v2'] }),
  image: string("Image of the autoscaler container; the head's Ray image if unset."),
  imagePullPolicy: string('When to pull the image of the autoscaler container.'),
  resources: embedded(resourceRequirements, 'CPU and memory of the autoscaler container.'),
  securityContext: embedded(securityContext, 'Security settings of the autoscaler container.'),
  env: list(envVar, 'Additional environment variables of the autoscaler container.'),
  envFrom: list(envFromSource, 'Sources of additional environment variables of the autoscaler container.'),
  volumeMounts: list(volumeMount, 'Additional volume mounts of the autoscaler container.'),
  command: list(string(), 'Replaces the command of the autoscaler container.'),
  args: list(string(), 'Replaces the arguments of the autoscaler container.'),
  idleTimeoutSeconds: int('Idle time in seconds after which the autoscaler removes a worker; 60 if unset.'),
  upscalingMode: string(
    'How fast the autoscaler adds workers. Conservative limits the number of pending workers to the size of the cluster.',
    {
      enum: ['Default', 'Aggressive', 'Conservative'],
    },
  ),
};

/** `autoscalerOptions` of v1. */
export const autoscalerOptions: Schema = object(autoscalerFields, 'Settings of the Ray autoscaler container.');

/** `authOptions`. */
export const authOptions: Schema = object(
  {
    mode: string('Whether Ray requires a token from clients. `token` needs Ray 2.52.', { enum: ['disabled', 'token'] }),
    secretName: string(
      'An existing Secret with the token under the key `auth_token`. The operator creates a Secret if unset.',
    ),
    enableK8sTokenAuth: bool(
      "Ray asks Kubernetes to verify the caller's own token instead of comparing a shared token. Needs Ray 2.55.",
    ),
  },
  'Authentication of clients of this Ray cluster.',
);

const credential = (description: string): Schema =>
  object(
    {
      value: string('Literal value.'),
      valueFrom: embedded(envVarSource, 'Source of the value, for example a key of a Secret.'),
    },
    description,
  );

const gcsStorage = object(
  {
    claimName: string('An existing PersistentVolumeClaim. Excludes size, storageClassName and accessModes.'),
    size: quantity('Size of the volume that the operator creates; 1Gi if unset.'),
    storageClassName: string('Storage class of that volume; the default class if unset.'),
    accessModes: list(string(), 'Access modes of that volume; ReadWriteOnce if unset.'),
    subPath: string('Directory of the volume for the state.'),
    deletionPolicy: string(
      'Whether the operator deletes the volume together with the cluster; DeleteWithCluster if unset.',
      {
        enum: ['DeleteWithCluster', 'Retain'],
      },
    ),
  },
  'Volume of the `rocksdb` backend.',
);

/** `gcsFaultToleranceOptions`. */
export const gcsFaultToleranceOptions: Schema = object(
  {
    backend: string("Storage of the head's state: an external Redis, or RocksDB on a volume. Redis if unset.", {
      enum: ['redis', 'rocksdb'],
      rules: [rule('self == oldSelf', 'gcsFaultToleranceOptions.backend is immutable')],
    }),
    redisAddress: string('Address of Redis, such as `redis:6379` or `rediss://host:port`.'),
    redisUsername: credential('User name for Redis.'),
    redisPassword: credential('Password for Redis.'),
    externalStorageNamespace: string("Prefix of this cluster's keys in Redis; the cluster's UID if unset."),
    storage: gcsStorage,
  },
  'Stores the state of the head outside the head pod, so that the cluster survives the loss of that pod.',
);

/** `historyServerOptions`. */
export const historyServerOptions: Schema = object(
  {
    collectorOptions: object(
      {
        image: string('Image of the collector.'),
        imagePullPolicy: string('When to pull the image of the collector.'),
        resources: embedded(resourceRequirements, 'CPU and memory of the collector.'),
        env: list(envVar, 'Environment variables of the collector. STORAGE_BACKEND selects the storage.'),
      },
      'Container in each pod that collects logs and events.',
    ),
  },
  'Collects logs and events of this cluster for the history server.',
);

const trafficRules = {
  ingressRules: list(
    networkPolicyIngressRule,
    'Ingress rules in addition to the traffic between pods of this cluster.',
  ),
  egressRules: list(networkPolicyEgressRule, 'Egress rules in addition to the traffic between pods of this cluster.'),
};

/** `networkPolicy`. */
export const networkPolicy: Schema = object(
  {
    mode: string('Direction of traffic that is denied unless a rule allows it.', {
      default: 'DenyAll',
      enum: ['DenyAll', 'DenyAllIngress', 'DenyAllEgress'],
    }),
    head: object(trafficRules, 'Rules of the head pod.'),
    worker: object(trafficRules, 'Rules of all worker pods.'),
    workerGroups: list(
      object(
        { groupName: string('Worker group to which these rules apply.'), ...trafficRules },
        'Rules of one worker group.',
        { required: ['groupName'] },
      ),
      'Rules of single worker groups. They replace the rules under `worker`.',
      { keys: ['groupName'] },
    ),
  },
  'Restricts traffic from and to the pods of the cluster with NetworkPolicies.',
);

/** `tlsOptions`. */
export const tlsOptions: Schema = object(
  { enabled: bool('Enables mutual TLS between the Ray pods; disabled if unset.') },
  'Mutual TLS between the Ray pods, with certificates from cert-manager.',
);
