import { Annotation, childNames, Label, type RayCronJob, type RayJob, type RayJobSpec, timestamp } from '@manta/api';
import { controllerReference } from '../build/owner.ts';
import { writtenOut, writtenTemplate } from '../build/written-out.ts';

/** The RayJob for one scheduled time. Its name is derived from the time, so a repeated creation is harmless. */
export function buildCronChild(cronJob: RayCronJob, tick: number): RayJob {
  const { name = '', namespace = '' } = cronJob.metadata ?? {};
  return {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: {
      name: childNames.cronRayJob(name, tick),
      namespace,
      labels: { [Label.CronJobName]: name },
      annotations: { [Annotation.CronJobScheduledTimestamp]: timestamp(tick) },
      ownerReferences: [controllerReference('RayCronJob', cronJob)],
    },
    spec: written(withoutZeros(cronJob.spec?.jobTemplate ?? {})),
  };
}

/** Template fields that mean unset when false or 0 are left out, like KubeRay does. */
const SILENT_AT_ZERO: ReadonlySet<string> = new Set([
  'suspend',
  'shutdownAfterJobFinishes',
  'entrypointNumCpus',
  'entrypointNumGpus',
] satisfies readonly (keyof RayJobSpec)[]);

function withoutZeros(template: RayJobSpec): RayJobSpec {
  return Object.fromEntries(
    Object.entries(template).filter(([name, value]) => !SILENT_AT_ZERO.has(name) || Boolean(value)),
  );
}

function written(template: RayJobSpec): RayJobSpec {
  const { rayClusterSpec, submitterPodTemplate } = template;
  return {
    ...template,
    ...(rayClusterSpec === undefined ? {} : { rayClusterSpec: writtenOut(rayClusterSpec) }),
    ...(submitterPodTemplate === undefined ? {} : { submitterPodTemplate: writtenTemplate(submitterPodTemplate) }),
  };
}
