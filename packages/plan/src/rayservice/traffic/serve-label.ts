import { RayServiceEventReason as Event, Label, LabelValue } from '@manta/api';
import { controllerOf, isOwn, patchExcepted } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { headPodOf } from '../serve/serving.ts';
import { fullName, type AssignedCluster, type ServiceState } from '../service-state.ts';

/** Labels the head pod so that the serve Service selects it only while the Serve proxy on the head is healthy. */
export function planServeLabel(state: ServiceState, { view }: AssignedCluster): readonly Action[] {
  const head = view === undefined ? undefined : headPodOf(view);
  if (view === undefined || head === undefined) return [];
  const isWanted = state.spec.excludeHeadPodFromServeSvc === true ? false : view.isProxyHealthy;
  if (isWanted === undefined) return [];
  const value = isWanted ? LabelValue.Serving : LabelValue.NotServing;
  if (head.serveLabel === value) return [];
  const what = `the serve label to "${value}" for the Head Pod ${fullName(state, head.name)}`;
  const { cluster } = view;
  const link = { uid: cluster.metadata?.uid ?? '', owner: controllerOf(cluster) };
  if (!isOwn(link.uid, head) || link.owner !== state.uid) return [];
  return [
    patchExcepted(
      { name: 'head-of-own-cluster', cluster: link },
      'Pod',
      head,
      { metadata: { labels: { [Label.Serve]: value } } },
      {
        done: normal(Event.UpdatedHeadPodServeLabel, 'Update', `Updated ${what}`),
        failed: warning(Event.FailedToUpdateHeadPodServeLabel, 'Update', `Failed to update ${what}:`),
        isOptional: true,
      },
    ),
  ];
}
