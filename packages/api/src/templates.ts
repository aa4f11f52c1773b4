import { DEFAULT_IMAGE, RAY_VERSION } from './default-image.ts';

/** A manifest to start from: `kubectl ray init` and the console's New page offer them. */
export interface Template {
  readonly name: string;
  readonly description: string;
  /** Commented YAML for an object of this name. */
  render(name: string): string;
}

const GPU_IMAGE = `${DEFAULT_IMAGE}-gpu`;

const head = (indent: string, image = DEFAULT_IMAGE) =>
  `headGroupSpec:
  rayStartParams: {}
  template:
    spec:
      containers:
        - name: ray-head
          image: ${image}
          resources:
            # Requests and limits of memory are equal: Ray sizes its object store by the limit.
            requests: { cpu: "1", memory: 4Gi }
            limits: { memory: 4Gi }`.replaceAll('\n', `\n${indent}`);

const worker = (indent: string, group: string, counts: string, resources: string, image = DEFAULT_IMAGE) =>
  `- groupName: ${group}
  ${counts}
  rayStartParams: {}
  template:
    spec:
      containers:
        - name: ray-worker
          image: ${image}
          resources:
            ${resources}`.replaceAll('\n', `\n${indent}`);

const CPU_WORKER = `requests: { cpu: "2", memory: 4Gi }\n            limits: { memory: 4Gi }`;
const GPU_WORKER = `requests: { cpu: "4", memory: 16Gi, nvidia.com/gpu: "1" }\n            limits: { memory: 16Gi, nvidia.com/gpu: "1" }`;

const batchJob: Template = {
  name: 'job',
  description: 'batch job on a cluster of its own',
  render: (
    name,
  ) => `# A batch job. The operator creates the cluster, runs the entrypoint, and deletes the cluster afterwards.
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: ${name}
spec:
  # A shell command on the head pod. To run local files instead: kubectl ray run . -- python main.py
  entrypoint: python -c "import ray; ray.init(); print(ray.cluster_resources())"
  # Packages and environment variables of the job:
  # runtimeEnvYAML: |
  #   pip: [requests]
  #   env_vars: { EPOCHS: "3" }
  # How often a failed job is tried again, each time on a new cluster.
  backoffLimit: 1
  # The job fails if it takes longer.
  activeDeadlineSeconds: 3600
  shutdownAfterJobFinishes: true
  # How long the cluster stays for reading logs.
  ttlSecondsAfterFinished: 300
  rayClusterSpec:
    rayVersion: ${RAY_VERSION}
    ${head('    ')}
    workerGroupSpecs:
      ${worker('      ', 'workers', 'replicas: 1', CPU_WORKER)}
`,
};

const training: Template = {
  name: 'train',
  description: 'training on GPU workers',
  render: (name) => `# Training on GPUs. The head has none: it only coordinates.
apiVersion: ray.io/v1
kind: RayJob
metadata:
  name: ${name}
spec:
  entrypoint: python -c "import ray; ray.init(); print(ray.cluster_resources())"
  backoffLimit: 0
  shutdownAfterJobFinishes: true
  ttlSecondsAfterFinished: 600
  rayClusterSpec:
    rayVersion: ${RAY_VERSION}
    ${head('    ', GPU_IMAGE)}
    workerGroupSpecs:
      ${worker('      ', 'gpu', 'replicas: 2', GPU_WORKER, GPU_IMAGE)}
                # Checkpoints should outlive the pods. Mount a shared volume, or write to object storage.
                # volumeMounts: [{ name: results, mountPath: /results }]
            # volumes: [{ name: results, persistentVolumeClaim: { claimName: results } }]
            # GPU nodes are often tainted:
            tolerations:
              - { key: nvidia.com/gpu, operator: Exists, effect: NoSchedule }
`,
};

const serve: Template = {
  name: 'serve',
  description: 'Ray Serve application with upgrades without downtime',
  render: (
    name,
  ) => `# A Serve application. A change of rayClusterConfig creates a second cluster; traffic moves when it is ready.
apiVersion: ray.io/v1
kind: RayService
metadata:
  name: ${name}
spec:
  # A change here is applied to the running cluster.
  serveConfigV2: |
    applications:
      - name: app
        route_prefix: /
        # module:variable, from the image or from runtime_env.working_dir
        import_path: fruit.deployment_graph
        runtime_env:
          working_dir: https://github.com/ray-project/test_dag/archive/78b4a5da38796123d9f9ffff59bab2792a043e95.zip
        deployments:
          - name: MangoStand
            num_replicas: 1
          - name: OrangeStand
            num_replicas: 1
          - name: PearStand
            num_replicas: 1
          - name: FruitMarket
            num_replicas: 1
  upgradeStrategy:
    type: NewCluster
  rayClusterConfig:
    rayVersion: ${RAY_VERSION}
    ${head('    ')}
    workerGroupSpecs:
      ${worker('      ', 'workers', 'replicas: 1', CPU_WORKER)}
`,
};

const autoscaled: Template = {
  name: 'cluster',
  description: 'cluster whose workers the autoscaler adds and removes',
  render: (name) => `# A cluster for interactive work. The autoscaler adds workers when tasks wait for resources.
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: ${name}
spec:
  rayVersion: ${RAY_VERSION}
  enableInTreeAutoscaling: true
  autoscalerOptions:
    version: v2
    # How long an idle worker stays.
    idleTimeoutSeconds: 60
  ${head('  ')}
  workerGroupSpecs:
    ${worker('    ', 'workers', 'replicas: 0\n  minReplicas: 0\n  maxReplicas: 5', CPU_WORKER)}
`,
};

const cron: Template = {
  name: 'cron',
  description: 'job on a schedule',
  render: (name) => `# A job every night. To run it now: kubectl ray cron trigger ${name}
apiVersion: ray.io/v1
kind: RayCronJob
metadata:
  name: ${name}
spec:
  schedule: "0 3 * * *"
  timeZone: Etc/UTC
  jobTemplate:
    entrypoint: python -c "import ray; ray.init(); print(ray.cluster_resources())"
    shutdownAfterJobFinishes: true
    ttlSecondsAfterFinished: 300
    rayClusterSpec:
      rayVersion: ${RAY_VERSION}
      ${head('      ')}
      workerGroupSpecs:
        ${worker('        ', 'workers', 'replicas: 1', CPU_WORKER)}
`,
};

/** One template for each common case. */
export const TEMPLATES: readonly Template[] = [batchJob, training, serve, autoscaled, cron];
