import { JobDeploymentStatus, Label, NodeType, RayJobState } from '@manta/api';
import { find, itemsOf, type World } from '@manta/insight';
import type { RayQuestions } from './ask-ray.ts';

/** The head that still knows why a RayJob failed or waits; none if the head is gone or the job needs no explanation. */
export function questionsAboutJob(world: World, namespace: string, name: string): readonly RayQuestions[] {
  const {
    jobStatus,
    jobDeploymentStatus,
    jobId = '',
    rayClusterName: cluster = '',
  } = find(world.rayJobs, namespace, name)?.status ?? {};
  const isTelling =
    jobStatus === RayJobState.Failed ||
    jobStatus === RayJobState.Pending ||
    jobDeploymentStatus === JobDeploymentStatus.Failed;
  const hasHead = itemsOf(world.pods).some(
    ({ metadata, status }) =>
      metadata?.labels?.[Label.Cluster] === cluster &&
      metadata.labels[Label.NodeType] === NodeType.Head &&
      status?.phase === 'Running',
  );
  return isTelling && hasHead && jobId !== '' ? [{ namespace, cluster, submissionId: jobId }] : [];
}
