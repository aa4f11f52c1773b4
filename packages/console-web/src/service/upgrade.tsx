import { Annotation, durationToMs, type RayCluster, type RayService, upgradeProgressDeadline } from '@manta/api';
import { Link } from 'wouter';
import { ago, duration } from '../format/duration.ts';
import { pagePath } from '../live/pages.ts';
import { useLive } from '../live/use-live.ts';
import { Facts } from '../parts/facts.tsx';
import { recordTraffic } from './traffic-history.ts';
import { TrafficChart } from './traffic-chart.tsx';

type Serving = NonNullable<NonNullable<RayService['status']>['activeServiceStatus']>;

/** Which cluster serves which share of the requests, and what an upgrade waits for. */
export function Upgrade({ service, now }: { readonly service: RayService; readonly now: number }) {
  const { objects } = useLive();
  const { namespace = '', uid = '' } = service.metadata ?? {};
  const { activeServiceStatus: active, pendingServiceStatus: pending } = service.status ?? {};
  const [oldName, newName] = [active?.rayClusterName ?? '', pending?.rayClusterName ?? ''];
  if (oldName === '' && newName === '') return null;
  if (newName === '')
    return (
      <section className="panel">
        <header>
          <h2>Traffic</h2>
          <span className="dim">no upgrade in progress</span>
        </header>
        <p className="body lead">
          <Link href={pagePath('RayCluster', namespace, oldName)}>{oldName}</Link> serves all requests.
        </p>
      </section>
    );
  const toNew = pending?.trafficRoutedPercent ?? 0;
  const samples = recordTraffic(`${uid}/${newName}`, {
    atMs: Date.parse(pending?.lastTrafficMigratedTime ?? '') || now,
    percent: toNew,
  });
  const begunMs =
    Date.parse(objects.RayCluster.get(`${namespace}/${newName}`)?.metadata?.creationTimestamp ?? '') || now;
  return (
    <section className="panel" aria-label="Upgrade">
      <header>
        <h2>Upgrade</h2>
        <span className="dim">
          {toNew} % on the new cluster · started {ago(begunMs, now)}
        </span>
      </header>
      <div className="body groups">
        <TrafficChart samples={[{ atMs: begunMs, percent: 0 }, ...samples]} now={now} />
        <div className="row legend">
          <span>
            <i className="key old" /> <Link href={pagePath('RayCluster', namespace, oldName)}>{oldName}</Link> (old){' '}
            {100 - toNew} %
          </span>
          <span>
            <i className="key new" /> <Link href={pagePath('RayCluster', namespace, newName)}>{newName}</Link> (new){' '}
            {toNew} %
          </span>
        </div>
        <Facts
          facts={[
            ['New cluster', readiness(objects.RayCluster.get(`${namespace}/${newName}`))],
            ['Applications', applications(pending)],
            ['Capacity', `${active?.targetCapacity ?? 100} % old, ${pending?.targetCapacity ?? 100} % new`],
            ['Next step', nextStep(service, pending, now)],
            ['Deadline', deadline(service, begunMs, now)],
          ]}
        />
      </div>
    </section>
  );
}

function readiness(cluster: RayCluster | undefined): string {
  if (cluster === undefined) return 'not created yet';
  const { readyWorkerReplicas = 0, desiredWorkerReplicas = 0, conditions = [] } = cluster.status ?? {};
  const head = conditions.some(({ type, status }) => type === 'HeadPodReady' && status === 'True')
    ? 'head ready'
    : 'head starts';
  return `${head}, ${readyWorkerReplicas} of ${desiredWorkerReplicas} workers`;
}

function applications(serving: Serving | undefined): string {
  const all = Object.values(serving?.applicationStatuses ?? {});
  return `${all.filter(({ status }) => status === 'RUNNING').length} of ${all.length} running`;
}

function nextStep({ spec }: RayService, pending: Serving | undefined, now: number): string {
  const { clusterUpgradeOptions: options, type } = spec?.upgradeStrategy ?? {};
  if (type !== 'NewClusterWithIncrementalUpgrade') return 'all traffic at once, when the new cluster is ready';
  const { stepSizePercent = 10, intervalSeconds = 10 } = options ?? {};
  const last = Date.parse(pending?.lastTrafficMigratedTime ?? '');
  const step = Math.min(stepSizePercent, 100 - (pending?.trafficRoutedPercent ?? 0));
  if (step <= 0) return 'the old cluster is removed';
  const due = last + intervalSeconds * 1000;
  return Number.isNaN(last) || due <= now
    ? `${step} % more, as soon as its capacity is ready`
    : `${step} % more in ${duration(due - now)}`;
}

/** Without progress for this long, the operator rolls the upgrade back. */
function deadline({ metadata, status }: RayService, begunMs: number, now: number): string {
  if (metadata?.annotations?.[Annotation.UpgradeProgressDeadline] === undefined) return 'none';
  const limit = upgradeProgressDeadline(metadata.annotations);
  if (!limit.ok || limit.value === undefined) return 'not readable';
  const times = [status?.pendingServiceStatus, status?.activeServiceStatus].map(
    (side) => Date.parse(side?.lastTrafficMigratedTime ?? '') || 0,
  );
  const left = Math.max(begunMs, ...times) + durationToMs(limit.value) - now;
  return left <= 0 ? 'passed' : `rolled back in ${duration(left)} without progress`;
}
