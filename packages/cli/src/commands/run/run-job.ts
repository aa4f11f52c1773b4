import { JobSubmissionMode, Label, type PodTemplateSpec, type RayClusterSpec, type RayJob } from '@manta/api';
import { stringify } from 'yaml';
import { imageFor } from '../../build/cluster-config.ts';
import { rayClusterSpecOf } from '../../build/ray-cluster.ts';
import type { Delivery, RunFlags } from './run-flags.ts';

/** What a RayJob of `run` is made from. */
export interface RunPlan {
  readonly namespace: string;
  readonly name: string;
  readonly jobId: string;
  readonly entrypoint: string;
  readonly flags: RunFlags;
  readonly delivery: Delivery;
  /** `gcs://_ray_pkg_<hash>.zip` */
  readonly packageUri: string;
  /** `pip` packages and `env_vars`, without the working directory. */
  readonly runtimeEnv: Readonly<Record<string, unknown>>;
}

const MOUNT = '/etc/ray-run';
const VOLUME = 'ray-run-package';

/** The runtime environment that Ray gets. A package in a Secret is a file in every pod; an uploaded one is in Ray's own store. */
export function runtimeEnvOf({ delivery, packageUri, runtimeEnv }: RunPlan): Readonly<Record<string, unknown>> {
  const workingDir = delivery === 'secret' ? `file://${MOUNT}/${packageFile(packageUri)}` : packageUri;
  return { working_dir: workingDir, ...runtimeEnv };
}

/** The file name within the Secret; it holds the package's hash because Ray caches packages by their name. */
export function packageFile(packageUri: string): string {
  return packageUri.replace(/^gcs:\/\//, '');
}

/** The Secret that holds the package of a RayJob. */
export function packageSecretName(jobName: string): string {
  return `${jobName}-package`;
}

/**
 * The RayJob. The operator submits it (HTTPMode), except if the package must be uploaded to a cluster that does not exist yet: then this
 * program submits it after the upload (InteractiveMode), which excludes retries.
 */
export function rayJobOf(plan: RunPlan): RayJob {
  const { namespace, name, jobId, entrypoint, flags, delivery } = plan;
  const isInteractive = flags.on === undefined && delivery === 'upload';
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name, namespace },
    spec: {
      entrypoint,
      ...(isInteractive
        ? { submissionMode: JobSubmissionMode.Interactive, jobId }
        : { submissionMode: JobSubmissionMode.HTTP, runtimeEnvYAML: stringify(runtimeEnvOf(plan)) }),
      ...(flags.retries > 0 && { backoffLimit: flags.retries }),
      ...(flags.on === undefined
        ? {
            shutdownAfterJobFinishes: true,
            ttlSecondsAfterFinished: flags.ttl,
            rayClusterSpec: clusterSpecOf(plan),
          }
        : { clusterSelector: { [Label.Cluster]: flags.on } }),
    },
  };
}

function clusterSpecOf({ flags, delivery, name, packageUri }: RunPlan): RayClusterSpec {
  const { rayVersion, headCpu, headMemory, workerCpu, workerMemory, gpus } = flags;
  const hasGpus = gpus !== '0';
  const workers = flags.workers ?? (hasGpus ? 1 : 0);
  const spec = rayClusterSpecOf({
    rayVersion,
    image: imageFor(flags.image, rayVersion),
    head: { cpu: headCpu, memory: headMemory, gpu: workers === 0 ? gpus : '0' },
    workerGroups: workers === 0 ? [] : [{ replicas: workers, cpu: workerCpu, memory: workerMemory, gpu: gpus }],
  });
  if (delivery === 'upload') return spec;
  const mount = (template: PodTemplateSpec) => withPackage(template, packageSecretName(name), packageFile(packageUri));
  return {
    ...spec,
    headGroupSpec: { ...spec.headGroupSpec, template: mount(spec.headGroupSpec.template) },
    workerGroupSpecs: (spec.workerGroupSpecs ?? []).map((group) => ({ ...group, template: mount(group.template) })),
  };
}

function withPackage(template: PodTemplateSpec, secretName: string, file: string): PodTemplateSpec {
  const { spec } = template;
  if (spec === undefined) return template;
  return {
    ...template,
    spec: {
      ...spec,
      containers: spec.containers.map((container) => ({
        ...container,
        volumeMounts: [...(container.volumeMounts ?? []), { name: VOLUME, mountPath: MOUNT, readOnly: true }],
      })),
      volumes: [
        ...(spec.volumes ?? []),
        { name: VOLUME, secret: { secretName, items: [{ key: 'package.zip', path: file }] } },
      ],
    },
  };
}
