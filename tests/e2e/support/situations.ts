import { serveCode, serveConfig, serveManifest } from './serve.ts';

/** A mistake, and what the object itself says about it. */
export interface Situation {
  readonly situation: string;
  readonly kind: 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob';
  readonly name: string;
  /** Absent: the test makes the mistake later. */
  readonly manifest?: string;
  /** What the column REASON has to show; absent: it is empty. */
  readonly reason?: string;
  /** What the column MESSAGE has to contain, in the words of the documentation. */
  readonly message: string;
  /** The Warning event of the object. */
  readonly event: string;
}

const IMAGE = 'rayproject/ray:2.53.0';
const head = (container: string, params = '') =>
  `headGroupSpec: { rayStartParams: { ${params} }, template: { spec: { terminationGracePeriodSeconds: 1, containers: [{ name: ray-head, ${container} }] } } }`;
const object = (kind: string, name: string, spec: string) =>
  `{ apiVersion: ray.io/v1, kind: ${kind}, metadata: { name: ${name} }, spec: { ${spec} } }`;
const small = `image: "${IMAGE}", resources: { limits: { cpu: "1", memory: 2Gi } }`;
const ON_SHARED = 'clusterSelector: { ray.io/cluster: shared }';
const job = (name: string, entrypoint: string, more = '') =>
  object('RayJob', name, `${ON_SHARED}, submissionMode: HTTPMode, entrypoint: ${JSON.stringify(entrypoint)}, ${more}`);

/** What works: the cluster that jobs run on, and a service that serves. */
export const WORKING = [object('RayCluster', 'shared', `rayVersion: 2.53.0, ${head(small)}`), serveCode];
export const SERVICE = serveManifest('typo-in-place', 'hello');
/** The import path has a typo. */
export const TYPO = serveConfig('hello').replace('greeter:app', 'greter:app');

const crash = { ...SERVICE.spec.rayClusterConfig, headGroupSpec: undefined };

/** Every situation, in the order of the documentation. */
export const SITUATIONS: readonly Situation[] = [
  {
    situation: 'the head asks for more CPUs than any node has',
    kind: 'RayCluster',
    name: 'too-large',
    manifest: object('RayCluster', 'too-large', head(`image: "${IMAGE}", resources: { requests: { cpu: "64" } }`)),
    reason: 'Unschedulable',
    message: 'The pod asks for 64 CPUs; the largest node has',
    event: 'PodNotStarting',
  },
  {
    situation: 'the image cannot be pulled',
    kind: 'RayJob',
    name: 'wrong-image',
    manifest: object(
      'RayJob',
      'wrong-image',
      `entrypoint: "true", rayClusterSpec: { ${head('image: "nowhere.example/ray:1"')} }`,
    ),
    message: 'image nowhere.example/ray:1 cannot be pulled',
    event: 'RayClusterNotReady',
  },
  {
    situation: 'the submitter finds no room',
    kind: 'RayJob',
    name: 'no-room-for-submitter',
    manifest: object(
      'RayJob',
      'no-room-for-submitter',
      `${ON_SHARED}, entrypoint: "true", submitterPodTemplate: { spec: { restartPolicy: Never, containers: [{ name: s, image: "${IMAGE}", resources: { requests: { cpu: "64" } } }] } }`,
    ),
    message: 'The submitter does not start: pod no-room-for-submitter-',
    event: 'SubmitterNotStarted',
  },
  {
    situation: 'the program raises an exception',
    kind: 'RayJob',
    name: 'exception',
    manifest: job('exception', `python -c "raise ValueError('no luck')"`),
    reason: 'AppFailed',
    message: 'ValueError: no luck',
    event: 'RayJobFailed',
  },
  {
    situation: 'the entrypoint does not exist',
    kind: 'RayJob',
    name: 'bad-entrypoint',
    manifest: job('bad-entrypoint', 'python no_such_file.py'),
    reason: 'AppFailed',
    message: 'no_such_file.py',
    event: 'RayJobFailed',
  },
  {
    situation: 'pip does not find a package',
    kind: 'RayJob',
    name: 'missing-package',
    manifest: job('missing-package', 'true', 'runtimeEnvYAML: "pip: [manta-has-no-such-package]"'),
    reason: 'AppFailed',
    message: 'pip could not install manta-has-no-such-package: ',
    event: 'RayJobFailed',
  },
  {
    situation: 'a Serve configuration with a typo replaces one that works',
    kind: 'RayService',
    name: 'typo-in-place',
    reason: 'NonZeroServeEndpoints',
    message:
      "an earlier version of application greeter serves, since application greeter is DEPLOY_FAILED: ModuleNotFoundError: No module named 'greter'",
    event: 'ServeApplicationFailed',
  },
  {
    situation: 'the head of a service restarts again and again',
    kind: 'RayService',
    name: 'head-restarts',
    manifest: JSON.stringify({
      ...serveManifest('head-restarts', 'hello'),
      spec: {
        serveConfigV2: serveConfig('hello'),
        rayClusterConfig: {
          ...crash,
          headGroupSpec: {
            rayStartParams: { 'no-such-flag': '1' },
            template: { spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'ray-head', image: IMAGE }] } },
          },
        },
      },
    }),
    reason: 'Initializing',
    message: 'Ray restarted ',
    event: '',
  },
  {
    situation: 'the feature gate RayCronJob is off',
    kind: 'RayCronJob',
    name: 'no-gate',
    manifest: object(
      'RayCronJob',
      'no-gate',
      `schedule: "* * * * *", jobTemplate: { entrypoint: "true", rayClusterSpec: { ${head(small)} } }`,
    ),
    reason: 'FeatureGateOff',
    message: 'The feature gate RayCronJob is off: the operator creates no RayJobs.',
    event: 'FeatureGateOff',
  },
];
