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
  version: string('Which Ray autoscaler to run; Ray decides when this is left out.', { enum: ['v1', 'v2'] }),
  image: string("Image of the autoscaler container; the head's Ray image when left out."),
  imagePullPolicy: string('When to pull the image of the autoscaler container.'),
  resources: embedded(resourceRequirements, 'CPU and memory of the autoscaler container.'),
  securityContext: embedded(securityContext, 'Security settings of the autoscaler container.'),
  env: list(envVar, 'More environment variables of the autoscaler container.'),
  envFrom: list(envFromSource, 'Sources of more environment variables of the autoscaler container.'),
  volumeMounts: list(volumeMount, 'More volumes to mount into the autoscaler container.'),
  command: list(string(), 'Replaces the command of the autoscaler container.'),
  args: list(string(), 'Replaces the arguments of the autoscaler container.'),
  idleTimeoutSeconds: int('How long a worker may idle before it is removed; 60 when left out.'),
  upscalingMode: string('How eagerly workers are added: Conservative never doubles a cluster at once.', {
    enum: ['Default', 'Aggressive', 'Conservative'],
  }),
};

/** `autoscalerOptions` of v1. */
export const autoscalerOptions: Schema = object(autoscalerFields, 'Settings of the Ray autoscaler beside the head.');

/** `authOptions`. */
export const authOptions: Schema = object(
  {
    mode: string("Whether clients must show a token to Ray; 'token' needs Ray 2.52.", { enum: ['disabled', 'token'] }),
    secretName: string('A Secret of yours with the token under `auth_token`; one is made when this is left out.'),
    enableK8sTokenAuth: bool("Lets Kubernetes check the caller's own token instead of a shared one. Needs Ray 2.55."),
  },
  'Who may talk to this Ray cluster.',
);

const credential = (description: string): Schema =>
  object(
    {
      value: string('The value itself.'),
      valueFrom: embedded(envVarSource, 'Where to read the value from, such as a key of a Secret.'),
    },
    description,
  );

const gcsStorage = object(
  {
    claimName: string('A PersistentVolumeClaim of yours; excludes size, storageClassName and accessModes.'),
    size: quantity('Size of the volume that is made for you; 1Gi when left out.'),
    storageClassName: string("Storage class of that volume; the cluster's default when left out."),
    accessModes: list(string(), 'Access modes of that volume; ReadWriteOnce when left out.'),
    subPath: string('Folder of the volume to keep the state in.'),
    deletionPolicy: string('Whether the volume goes with the cluster; DeleteWithCluster when left out.', {
      enum: ['DeleteWithCluster', 'Retain'],
    }),
  },
  "Where the 'rocksdb' backend keeps its files.",
);

/** `gcsFaultToleranceOptions`. */
export const gcsFaultToleranceOptions: Schema = object(
  {
    backend: string("What keeps the cluster's state: an outside Redis, or RocksDB on a volume. Redis when left out.", {
      enum: ['redis', 'rocksdb'],
      rules: [rule('self == oldSelf', 'gcsFaultToleranceOptions.backend is immutable')],
    }),
    redisAddress: string('Address of Redis, such as `redis:6379` or `rediss://host:port`.'),
    redisUsername: credential('User name for Redis.'),
    redisPassword: credential('Password for Redis.'),
    externalStorageNamespace: string("Prefix of this cluster's keys in Redis; the cluster's UID when left out."),
    storage: gcsStorage,
  },
  "Lets the cluster survive the loss of its head pod by keeping the head's state elsewhere.",
);

/** `historyServerOptions`. */
export const historyServerOptions: Schema = object(
  {
    collectorOptions: object(
      {
        image: string('Image of the collector.'),
        imagePullPolicy: string('When to pull the image of the collector.'),
        resources: embedded(resourceRequirements, 'CPU and memory of the collector.'),
        env: list(envVar, 'Environment variables of the collector; STORAGE_BACKEND says where it writes.'),
      },
      'The container in each pod that collects logs and events.',
    ),
  },
  'Keeps logs and events of this cluster for the history server.',
);

const trafficRules = {
  ingressRules: list(networkPolicyIngressRule, 'Traffic to let in besides that between the pods of this cluster.'),
  egressRules: list(networkPolicyEgressRule, 'Traffic to let out besides that between the pods of this cluster.'),
};

/** `networkPolicy`. */
export const networkPolicy: Schema = object(
  {
    mode: string('Which direction is closed unless a rule opens it.', {
      default: 'DenyAll',
      enum: ['DenyAll', 'DenyAllIngress', 'DenyAllEgress'],
    }),
    head: object(trafficRules, 'Rules of the head pod.'),
    worker: object(trafficRules, 'Rules of all worker pods.'),
    workerGroups: list(
      object(
        { groupName: string('The worker group that these rules are for.'), ...trafficRules },
        'Rules of one worker group.',
        { required: ['groupName'] },
      ),
      'Rules of single worker groups, which replace those under worker.',
      { keys: ['groupName'] },
    ),
  },
  "Closes the cluster's pods to other traffic with NetworkPolicies.",
);

/** `tlsOptions`. */
export const tlsOptions: Schema = object(
  { enabled: bool('Turns mutual TLS between the Ray pods on; off when left out.') },
  'Mutual TLS between the Ray pods, with certificates from cert-manager.',
);
