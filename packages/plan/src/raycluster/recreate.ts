import { Annotation, compareSpec, NodeType, RayClusterEventReason, RayClusterUpgradeType, specHash } from '@manta/api';
import { patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './delete-pods.ts';
import { headsOf } from './heads.ts';
import type { PodRecord } from './observed.ts';
import type { Subject } from './subject.ts';

/** What the upgrade strategy asks for now. */
export type RecreateDecision =
  | { readonly kind: 'keep' }
  /** The head was stamped by another operator or version: it is taken over as it is, under our stamp. */
  | { readonly kind: 'restamp'; readonly actions: readonly Action[] }
  | { readonly kind: 'recreate'; readonly actions: readonly Action[] };

/** Decides from the head pod's stamp. Only clusters that ask for Recreate are ever taken down because of their spec. */
export function decideRecreate(subject: Subject): RecreateDecision {
  const { spec, pods, context, cluster } = subject;
  const [head] = headsOf(pods);
  if (cluster.spec?.upgradeStrategy?.type !== RayClusterUpgradeType.Recreate || head?.head === undefined)
    return { kind: 'keep' };
  const { recreateHash, operatorVersion } = head.head;
  const stamp = { hash: recreateHash || undefined, operatorVersion: operatorVersion || undefined };
  switch (compareSpec(spec, stamp, context.operatorVersion)) {
    case 'same':
      return { kind: 'keep' };
    case 'foreign': {
      if (operatorVersion === context.operatorVersion && recreateHash === '') return { kind: 'keep' };
      const annotations = {
        [Annotation.RecreateHash]: specHash(spec),
        [Annotation.OperatorVersion]: context.operatorVersion,
      };
      const patch = { metadata: { annotations } };
      return { kind: 'restamp', actions: patchOwn(subject.uid, 'Pod', head, patch, { isOptional: true }) };
    }
    case 'different':
      return { kind: 'recreate', actions: deleteAll(subject) };
  }
}

/**
 * The head goes last: it carries the mark that tells of the change, so that whatever happens in between, nothing of the old spec is left
 * when the mark is gone.
 */
function deleteAll(subject: Subject): readonly Action[] {
  const staying = subject.pods.filter(({ isTerminating }) => !isTerminating);
  if (staying.length === 0) return [];
  const cluster = fullName(subject, subject.name);
  const because = 'due to spec change with Recreate upgradeStrategy';
  const told = {
    failed: warning(
      RayClusterEventReason.FailedToDeletePodCollection,
      'Delete',
      `Failed deleting Pods ${because} for RayCluster ${cluster}`,
    ),
    failure: 'FailedDeleteAllPods',
  };
  const isWorker = ({ nodeType }: PodRecord) => nodeType === NodeType.Worker;
  const done = normal(
    RayClusterEventReason.DeletedPod,
    'Delete',
    `Deleted all Pods for RayCluster ${cluster} ${because}`,
  );
  const others = staying.filter((pod) => !isWorker(pod));
  return [
    ...deletePods(subject, staying.filter(isWorker), told),
    ...deletePods(subject, others, { ...told, afterOthers: true }),
    { type: 'event', event: done },
  ];
}
