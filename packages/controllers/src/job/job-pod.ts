import type { Job, Pod } from '@manta/api';
import type { Stored } from '../framework/cluster.ts';
import { controllerReference } from '../framework/owner.ts';
import { TRACKING_FINALIZER } from './tracked-pods.ts';

/** A new pod for a job; the server makes up the end of its name. */
export function jobPod(job: Stored<Job>): Pod {
  const { name, namespace = '' } = job.metadata;
  const template = job.spec?.template;
  const { labels, annotations, finalizers = [] } = template?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${name}-`,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      finalizers: [...finalizers, TRACKING_FINALIZER],
      ownerReferences: [controllerReference({ apiVersion: 'batch/v1', kind: 'Job' }, job.metadata)],
    },
    ...(template?.spec === undefined ? {} : { spec: template.spec }),
  };
}

/** How many pods should be running, were there no failures to wait for. */
export function wantedPods(job: Job, succeeded: number, active: number): number {
  const { parallelism = 1, completions } = job.spec ?? {};
  if (completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}
