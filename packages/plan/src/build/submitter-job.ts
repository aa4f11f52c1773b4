import {
  childNames,
  isAuthEnabled,
  isK8sAuthEnabled,
  type Job,
  Label,
  LabelValue,
  OriginCrd,
  type Parsed,
  type PodTemplateSpec,
  parsed,
  type RayJob,
  type StringMap,
} from '@manta/api';
import { TOKEN_VOLUME } from './auth.ts';
import type { BuildContext } from './context.ts';
import { addMissingVolume } from './mounts.ts';
import { controllerReference } from './owner.ts';
import { draftOf, mapRayContainer, type PodDraft, rayContainerOf } from './pod-draft.ts';
import type { SubmitInput } from './submitter-command.ts';
import { defaultSubmitter, type TargetCluster, withSubmitCommand, withSubmitterEnv } from './submitter-container.ts';

/** Inputs of a submitter Job. The cluster exists: the job's own, or the selected one. */
export interface SubmitterJobInput extends Omit<SubmitInput, 'spec'> {
  readonly job: RayJob;
  readonly cluster: TargetCluster;
}

/** The default backoffLimit of a submitter Job. */
const BACKOFF_LIMIT = 2;

/** The Job that submits a RayJob in K8sJobMode; an error if the job's texts give no valid command. */
export function buildSubmitterJob(input: SubmitterJobInput, context: BuildContext): Parsed<Job> {
  const template = buildSubmitterTemplate(input, context);
  if (!template.ok) return template;
  const { job } = input;
  const name = job.metadata?.name ?? '';
  return parsed({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: childNames.submitterJob(name),
      namespace: job.metadata?.namespace ?? '',
      labels: submitterLabels(name),
      ownerReferences: [controllerReference('RayJob', job)],
    },
    spec: { backoffLimit: job.spec?.submitterConfig?.backoffLimit ?? BACKOFF_LIMIT, template: template.value },
  });
}

/** The submitter's pod template: the user's, or the default. A user's command is kept with its arguments. */
export function buildSubmitterTemplate(input: SubmitterJobInput, context: BuildContext): Parsed<PodTemplateSpec> {
  const { job, cluster } = input;
  const submit = { ...input, spec: job.spec ?? {} };
  const draft = draftOf(job.spec?.submitterPodTemplate ?? defaultTemplate(cluster, context));
  const container = rayContainerOf(draft.spec);
  const hasCommand = (container.command ?? []).length > 0;
  const commanded = hasCommand ? parsed(container) : withSubmitCommand(container, submit, context);
  if (!commanded.ok) return commanded;
  const informed = withSubmitterEnv(commanded.value, submit, cluster);
  const { metadata, spec } = withTokenVolume(
    mapRayContainer(draft, () => informed),
    cluster,
  );
  return parsed({
    metadata: { ...metadata, labels: { ...metadata.labels, ...submitterLabels(job.metadata?.name ?? '') } },
    spec,
  });
}

/** Labels of a submitter's Job and its pods. The operator selects Jobs by the last one. */
export function submitterLabels(rayJob: string): StringMap {
  return {
    [Label.OriginatedFromCrName]: rayJob,
    [Label.OriginatedFromCrd]: OriginCrd.RayJob,
    [Label.AppCreatedBy]: LabelValue.CreatedBy,
  };
}

function defaultTemplate(cluster: TargetCluster, context: BuildContext): PodTemplateSpec {
  return { spec: { containers: [defaultSubmitter(cluster, context)], restartPolicy: 'Never' } };
}

function withTokenVolume(draft: PodDraft, { spec }: TargetCluster): PodDraft {
  return isAuthEnabled(spec) && isK8sAuthEnabled(spec) ? addMissingVolume(draft, TOKEN_VOLUME) : draft;
}
