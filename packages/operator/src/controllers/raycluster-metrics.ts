import { isConditionTrue, Label, type RayCluster, RayClusterConditionType, type RayClusterStatus } from '@manta/api';
import { type Informer, type MetricsRegistry, type ObjectKey, refOf } from '@manta/runtime';

type Labels = Readonly<Record<string, string>>;

/** Hooks for metrics of clusters. */
export interface RayClusterMetrics {
  /** A status was written: how long the cluster took, if it has just become provisioned. */
  wrote(cluster: RayCluster, after: RayClusterStatus, now: number): void;
  /** The cluster no longer exists. */
  forget(key: ObjectKey): void;
}

/** Exports every RayCluster and its conditions at each scrape, and how long clusters took to become ready. */
export function exportRayClusterMetrics(
  metrics: Pick<MetricsRegistry, 'gauge' | 'onScrape'>,
  clusters: Pick<Informer<RayCluster>, 'records'>,
): RayClusterMetrics {
  const gauges = {
    info: metrics.gauge('kuberay_cluster_info', 'Each RayCluster that the operator knows, and the kind that it is of'),
    provisioned: metrics.gauge(
      'kuberay_cluster_condition_provisioned',
      'Whether all pods of a RayCluster have been ready at least once',
    ),
    head: metrics.gauge('manta_cluster_condition_head_pod_ready', 'Whether the head pod of a RayCluster is ready'),
  };
  const duration = metrics.gauge(
    'kuberay_cluster_provisioned_duration_seconds',
    'Seconds from the creation of a RayCluster until all its pods were ready',
  );
  metrics.onScrape(() => {
    for (const gauge of Object.values(gauges)) gauge.remove({});
    for (const cluster of clusters.records()) {
      const id = idOf(cluster);
      const is = (type: RayClusterConditionType) => String(isConditionTrue(cluster.status?.conditions, type));
      gauges.info.set({ ...id, owner_kind: cluster.metadata?.labels?.[Label.OriginatedFromCrd] ?? 'None' }, 1);
      gauges.provisioned.set({ ...id, condition: is(RayClusterConditionType.Provisioned) }, 1);
      gauges.head.set({ ...id, condition: is(RayClusterConditionType.HeadPodReady) }, 1);
    }
  });
  return {
    wrote(cluster, { conditions }, now) {
      const created = cluster.metadata?.creationTimestamp;
      const was = isConditionTrue(cluster.status?.conditions, RayClusterConditionType.Provisioned);
      if (was || created === undefined || !isConditionTrue(conditions, RayClusterConditionType.Provisioned)) return;
      duration.set(idOf(cluster), (now - Date.parse(created)) / 1000);
    },
    forget(key) {
      const { namespace = '', name } = refOf(key);
      duration.remove({ namespace, name });
    },
  };
}

function idOf({ metadata = {} }: RayCluster): Labels {
  const { name = '', namespace = '', uid = '' } = metadata;
  return { name, namespace, uid };
}
