import { JobSubmissionMode, SchedulerLabel } from '@manta/api';
import { copied } from './marks.ts';
import type { BatchScheduler } from './scheduler.ts';

/** KAI detects automatically which pods belong together; pods only name their queue. */
export const kai: BatchScheduler = {
  objects: [],

  marks(gang) {
    const labels = copied(gang, [SchedulerLabel.KaiQueue]);
    return { labels, annotations: {}, spec: { schedulerName: 'kai-scheduler' } };
  },

  plan: () => [],

  refusal({ spec }) {
    const isSubmittedByPod = (spec?.submissionMode || JobSubmissionMode.K8sJob) === JobSubmissionMode.K8sJob;
    return isSubmittedByPod
      ? 'KAI-Scheduler does not support RayJob with K8sJobMode: the submitter pod is created after RayCluster is ready, preventing proper gang scheduling'
      : undefined;
  },
};
