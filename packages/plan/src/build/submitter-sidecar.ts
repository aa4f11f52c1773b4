import { type Container, type Parsed, parsed, type RayClusterSpec } from '@manta/api';
import type { BuildContext } from './context.ts';
import type { SubmitInput } from './submitter-command.ts';
import { defaultSubmitter, type TargetCluster, withSubmitCommand, withSubmitterEnv } from './submitter-container.ts';

/** Inputs of a sidecar submitter; `cluster` is about to be created. */
export interface SidecarInput extends Omit<SubmitInput, 'dashboardUrl'> {
  readonly cluster: TargetCluster;
}

/** The spec of a cluster with the submitter as the last container of its head pod, which terminates when its containers end. */
export function withSidecarSubmitter(input: SidecarInput, context: BuildContext): Parsed<RayClusterSpec> {
  const submitter = sidecarSubmitter(input, context);
  if (!submitter.ok) return submitter;
  const { spec } = input.cluster;
  const { template } = spec.headGroupSpec;
  const containers = [...(template.spec?.containers ?? []), submitter.value];
  return parsed({
    ...spec,
    headGroupSpec: {
      ...spec.headGroupSpec,
      template: { ...template, spec: { ...template.spec, containers, restartPolicy: 'Never' } },
    },
  });
}

/** The container that submits the job from within the head pod. It is built before the cluster exists, so it uses localhost. */
export function sidecarSubmitter(input: SidecarInput, context: BuildContext): Parsed<Container> {
  const submit = { ...input, dashboardUrl: '' };
  const commanded = withSubmitCommand(defaultSubmitter(input.cluster, context), submit, context);
  if (!commanded.ok) return commanded;
  const container = withSubmitterEnv(commanded.value, submit, input.cluster);
  return parsed(context.gates.SidecarSubmitterRestart ? { ...container, restartPolicy: 'OnFailure' } : container);
}
