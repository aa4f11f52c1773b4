/** The gang schedulers that can be chosen by name. */
export const BATCH_SCHEDULERS = ['volcano', 'yunikorn', 'kai-scheduler', 'scheduler-plugins'] as const;
export type BatchSchedulerName = (typeof BATCH_SCHEDULERS)[number];

/** `kubernetes-was` is chosen by a feature gate only, never by name. */
export type BatchScheduler = BatchSchedulerName | 'kubernetes-was';

export type BatchSchedulerChoice =
  | { readonly kind: 'chosen'; readonly scheduler: BatchScheduler | undefined }
  | { readonly kind: 'error'; readonly message: string };

/** The configured scheduler. Contradicting or unknown settings are rejected with KubeRay's messages. */
export function chooseBatchScheduler(settings: {
  readonly name: string;
  /** The deprecated switch, which means Volcano. */
  readonly isLegacyEnabled: boolean;
  readonly isWorkloadSchedulingGateOn: boolean;
}): BatchSchedulerChoice {
  const { name, isLegacyEnabled, isWorkloadSchedulingGateOn } = settings;
  if (isWorkloadSchedulingGateOn) {
    return name !== '' || isLegacyEnabled
      ? refuse('the KubernetesWAS feature gate cannot be combined with --batch-scheduler or --enable-batch-scheduler')
      : { kind: 'chosen', scheduler: 'kubernetes-was' };
  }
  if (name !== '' && isLegacyEnabled) {
    return refuse(
      'both feature flags enable-batch-scheduler (deprecated) and batch-scheduler are set. Please use batch-scheduler only',
    );
  }
  if (isLegacyEnabled) return { kind: 'chosen', scheduler: 'volcano' };
  if (name === '') return { kind: 'chosen', scheduler: undefined };
  const known = BATCH_SCHEDULERS.find((candidate) => candidate === name);
  return known === undefined
    ? refuse(`scheduler is not supported, name=${name}. Choose one of ${BATCH_SCHEDULERS.join(', ')}`)
    : { kind: 'chosen', scheduler: known };
}

function refuse(message: string): BatchSchedulerChoice {
  return { kind: 'error', message };
}
