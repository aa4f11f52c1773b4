import { type RayService, RayServiceConditionType } from '@manta/api';
import type { Informer, MetricsRegistry } from '@manta/runtime';

/** Exports every existing RayService and its conditions at each scrape. */
export function exportRayServiceMetrics(
  metrics: Pick<MetricsRegistry, 'gauge' | 'onScrape'>,
  services: Pick<Informer<RayService>, 'records'>,
): void {
  const gauges = {
    info: metrics.gauge('kuberay_service_info', 'Metadata information about RayService custom resources'),
    ready: metrics.gauge(
      'kuberay_service_condition_ready',
      'Describes whether the RayService is ready. Ready means users can send requests to the underlying cluster and the number of serve endpoints is greater than 0.',
    ),
    upgrading: metrics.gauge(
      'kuberay_service_condition_upgrade_in_progress',
      'Describes whether the RayService is performing a zero-downtime upgrade.',
    ),
  };
  metrics.onScrape(() => {
    for (const gauge of Object.values(gauges)) gauge.remove({});
    for (const { metadata = {}, status } of services.records()) {
      const { name = '', namespace = '', uid = '' } = metadata;
      const id = { name, namespace, uid };
      const is = (type: string) =>
        String(status?.conditions?.find((condition) => condition.type === type)?.status === 'True');
      gauges.info.set(id, 1);
      gauges.ready.set({ ...id, condition: is(RayServiceConditionType.Ready) }, 1);
      gauges.upgrading.set({ ...id, condition: is(RayServiceConditionType.UpgradeInProgress) }, 1);
    }
  });
}
