import { Annotation, childNames, Label, type RayCronJob, type RayJob, type RayJobSpec } from '@manta/api';
import { controllerReference } from '../build/owner.ts';
import { writtenOut, writtenTemplate } from '../build/written-out.ts';
import { timestamp } from '../shared/timestamp.ts';

/** The RayJob for one time of a schedule. Its name follows from the time, so that making it twice makes one. */
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

/** Fields of a template that say nothing when they are false or 0 are left out, as the peer leaves them out. */
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
