import { Annotation, compareSpec, NodeType, RayClusterEventReason, RayClusterUpgradeType, specHash } from '@manta/api';
import { patchOwn } from '../ownership.ts';
import { type Action, normal, warning } from '../plan.ts';
import { fullName } from '../shared/names.ts';
import { deletePods } from './child-actions.ts';
import type { ClusterState } from './cluster-state.ts';
import type { PodRecord } from './observed.ts';
import { headsOf } from './pods.ts';

/** What the upgrade strategy requires now. */
export type RecreateDecision =
  | { readonly kind: 'keep'; readonly actions: readonly [] }
  /** Another operator or version stamped the head: it is adopted as it is, with our stamp. */
  | { readonly kind: 'restamp'; readonly actions: readonly Action[] }
  | { readonly kind: 'recreate'; readonly actions: readonly Action[] };

const KEEP: RecreateDecision = { kind: 'keep', actions: [] };

/** Decides from the head pod's stamp. A changed spec deletes pods only if the upgrade strategy is Recreate. */
export function decideRecreate(state: ClusterState): RecreateDecision {
  const { spec, pods, context, cluster } = state;
  const [head] = headsOf(pods);
  if (cluster.spec?.upgradeStrategy?.type !== RayClusterUpgradeType.Recreate || head?.head === undefined) return KEEP;
  const { recreateHash, operatorVersion } = head.head;
  const stamp = { hash: recreateHash || undefined, operatorVersion: operatorVersion || undefined };
  switch (compareSpec(spec, stamp, context.operatorVersion)) {
    case 'same':
      return KEEP;
    case 'foreign': {
      if (operatorVersion === context.operatorVersion && recreateHash === '') return KEEP;
      const annotations = {
        [Annotation.RecreateHash]: specHash(spec),
        [Annotation.OperatorVersion]: context.operatorVersion,
      };
      const patch = { metadata: { annotations } };
      return { kind: 'restamp', actions: patchOwn(state.uid, 'Pod', head, patch, { isOptional: true }) };
    }
    case 'different':
      return { kind: 'recreate', actions: deleteAll(state) };
  }
}

/**
 * Deletes the head last: it carries the hash of the old spec, so an interrupted deletion continues until no pod of the old spec is left.
 */
function deleteAll(state: ClusterState): readonly Action[] {
  const staying = state.pods.filter(({ isTerminating }) => !isTerminating);
  if (staying.length === 0) return [];
  const cluster = fullName(state, state.name);
  const because = 'due to spec change with Recreate upgradeStrategy';
  const reported = {
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
    ...deletePods(state, staying.filter(isWorker), reported),
    ...deletePods(state, others, { ...reported, afterOthers: true }),
    { type: 'event', event: done },
  ];
}
