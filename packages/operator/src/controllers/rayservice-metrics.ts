import { type RayService, RayServiceConditionType } from '@manta/api';
import type { Informer, MetricsRegistry } from '@manta/runtime';

type Labels = Readonly<Record<string, string>>;

/** Shows every RayService that is known, and how it stands, whenever somebody scrapes. A service that is gone shows no more. */
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
  let shown: readonly (readonly [keyof typeof gauges, Labels])[] = [];
  metrics.onScrape(() => {
    for (const [gauge, labels] of shown) gauges[gauge].remove(labels);
    shown = [...services.records()].flatMap(({ metadata = {}, status }) => {
      const { name = '', namespace = '', uid = '' } = metadata;
      const id = { name, namespace, uid };
      const is = (type: string) =>
        String(status?.conditions?.find((condition) => condition.type === type)?.status === 'True');
      return [
        ['info', id],
        ['ready', { ...id, condition: is(RayServiceConditionType.Ready) }],
        ['upgrading', { ...id, condition: is(RayServiceConditionType.UpgradeInProgress) }],
      ] as const;
    });
    for (const [gauge, labels] of shown) gauges[gauge].set(labels, 1);
  });
}
