import {
  type Condition,
  isConditionTrue,
  type RayService,
  RayServiceConditionReason,
  RayServiceConditionType,
  type RayServiceStatus,
} from '@manta/api';
import { ageMs, eventsOf, eventTimeMs, find, refOf, refText } from '../lookup.ts';
import type { RayRef, World } from '../world.ts';
import { brief, type Cause, type Found } from './cause.ts';
import { clusterCauses } from './cluster.ts';
import { commonCause, createRefused, invalid, operatorBehind, RECENT_FAILURE_MS } from './common.ts';
import { gatewayCause } from './gateway.ts';
import { applicationCause } from './serve.ts';

const { Ready, UpgradeInProgress, RollbackInProgress } = RayServiceConditionType;

/** A service that is older than this should be ready. */
const YOUNG_MS = 120_000;

/** Why a RayService does not serve its latest spec; empty if it does. */
export function serviceCauses(service: RayService, world: World): readonly Found[] {
  const ref = {
    ...refOf('RayService', service),
    kind: 'RayService',
    namespace: service.metadata?.namespace ?? '',
  } as const;
  const links = [{ object: ref, says: serviceSays(service) }];
  const own = (cause: Cause | undefined): readonly Found[] => (cause === undefined ? [] : [{ links, cause }]);
  const common = commonCause({ ref, object: service }, world);
  if (common !== undefined) return own(common);
  const { conditions, activeServiceStatus, pendingServiceStatus } = service.status ?? {};
  const ready = conditions?.find(({ type }) => type === Ready);
  if (ready?.reason === RayServiceConditionReason.ValidationFailed)
    return own(
      invalid(ref, ready.message, { object: ref, source: 'status.conditions[Ready]', text: brief(ready.message) }),
    );
  const below = (side: 'activeServiceStatus' | 'pendingServiceStatus', status: RayServiceStatus | undefined) =>
    sideCauses(ref, side, status, world).map(({ links: more, cause }) => ({ links: [...links, ...more], cause }));
  const isReady = ready?.status === 'True';
  const isUpgrading = isConditionTrue(conditions, UpgradeInProgress);
  const isNamed = (status: RayServiceStatus | undefined) => (status?.rayClusterName ?? '') !== '';
  const found = [
    ...(isReady && !isUpgrading ? [] : own(gatewayCause(ref, service, world))),
    ...(isReady ? [] : own(createRefused(ref, world))),
    ...(isNamed(pendingServiceStatus) ? below('pendingServiceStatus', pendingServiceStatus) : []),
    ...(isNamed(activeServiceStatus) ? below('activeServiceStatus', activeServiceStatus) : []),
  ];
  const hard = found.filter(({ cause }) => cause.isProgress !== true);
  const soft = found.filter(({ cause }) => cause.isProgress === true);
  const late = [...own(serviceCondition(ref, service, world)), ...own(operatorBehind({ ref, object: service }, world))];
  const all = [...hard, ...late, ...soft];
  return all.length === 0 && !isReady ? own(unexplained(ref, service, ready, world)) : all;
}

/** One line about the service for the chain. */
export function serviceSays({ status, spec }: RayService): string {
  if (spec?.suspend === true) return 'suspended';
  const ready = isConditionTrue(status?.conditions, Ready);
  const upgrade = isConditionTrue(status?.conditions, RollbackInProgress)
    ? ', rolling back'
    : isConditionTrue(status?.conditions, UpgradeInProgress)
      ? ', upgrading'
      : '';
  return `${ready ? 'ready' : 'not ready'}, ${status?.numServeEndpoints ?? 0} serve endpoints${upgrade}`;
}

/** A cluster of the service, then Serve on it. */
function sideCauses(
  ref: RayRef,
  side: 'activeServiceStatus' | 'pendingServiceStatus',
  status: RayServiceStatus | undefined,
  world: World,
): readonly Found[] {
  const cluster = find(world.rayClusters, ref.namespace, status?.rayClusterName ?? '');
  const ofCluster = cluster === undefined ? [] : clusterCauses(cluster, world);
  const name = status?.rayClusterName ?? '';
  const link = {
    object: { kind: 'RayCluster', name, namespace: ref.namespace },
    says: side === 'activeServiceStatus' ? 'active cluster' : 'pending cluster',
  };
  const apps = Object.entries(status?.applicationStatuses ?? {}).flatMap(([app, state]) => {
    const cause = applicationCause(ref, side, app, state);
    return cause === undefined
      ? []
      : [{ links: [link, { object: { kind: 'Application', name: app }, says: state.status ?? '' }], cause }];
  });
  const isHeadUp = !ofCluster.some(({ cause }) => cause.isProgress !== true);
  const talk =
    isHeadUp && apps.length === 0 && Object.keys(status?.applicationStatuses ?? {}).length === 0
      ? serveTalk(ref, name, world)
      : undefined;
  return [...ofCluster, ...apps, ...(talk === undefined ? [] : [{ links: [link], cause: talk }])];
}

/** Without any application: Ray refused the configuration, or does not answer. */
function serveTalk(ref: RayRef, cluster: string, world: World): Cause | undefined {
  const event = eventsOf(world, ref).find(
    (candidate) =>
      candidate.reason === 'FailedToUpdateServeApplications' && world.now - eventTimeMs(candidate) < RECENT_FAILURE_MS,
  );
  if (event !== undefined) {
    const note = event.note ?? '';
    const isSilent =
      /ECONNREFUSED|connection refused|timeout|timed out|no route|unreachable|does not answer|dial|502|503|504/i.test(
        note,
      );
    const evidence = [{ object: ref, source: `event ${event.reason}`, text: brief(note) }];
    return isSilent
      ? {
          code: 'DashboardUnreachable',
          object: ref,
          sentence: `the operator does not reach the Ray dashboard of RayCluster ${cluster}: ${brief(note)}`,
          evidence,
          action: 'Look at the head pod and at network policies between the operator and the head.',
        }
      : {
          code: 'ServeConfigRefused',
          object: ref,
          sentence: `Ray refuses the Serve configuration of ${refText(ref)}: ${brief(note)}`,
          evidence,
          action: 'Correct serveConfigV2 as the message says.',
        };
  }
  const failure = world.ray.get(`${ref.namespace}/${cluster}`)?.failure;
  if (failure !== undefined)
    return {
      code: 'DashboardUnreachable',
      object: ref,
      sentence: `the Ray dashboard of RayCluster ${cluster} does not answer: ${brief(failure)}`,
      evidence: [{ object: ref, source: 'Ray dashboard', text: brief(failure) }],
      action: 'Look at the head pod and at network policies between the operator and the head.',
    };
  return {
    code: 'ServeNotStarted',
    object: ref,
    sentence: `Serve on RayCluster ${cluster} has no application yet`,
    evidence: [{ object: ref, source: 'status.applicationStatuses', text: 'empty' }],
    action: 'Wait: the operator sends the configuration when the head is ready.',
    isProgress: true,
  };
}

/** What the conditions and events of the service say by themselves. */
function serviceCondition(ref: RayRef, { status, metadata }: RayService, world: World): Cause | undefined {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === Ready);
  const at = (type: string) => [
    { object: ref, source: `status.conditions[${type}]`, text: `${ready?.reason}: ${brief(ready?.message)}` },
  ];
  if (ready?.reason === RayServiceConditionReason.InitializingTimeout)
    return {
      code: 'InitializingTimeout',
      object: ref,
      sentence: `${refText(ref)} did not become ready in time and the operator gave up`,
      evidence: at(Ready),
      action:
        'Correct the spec; a change starts a new attempt. The annotation ray.io/initializing-timeout sets the time.',
    };
  const events = eventsOf(world, ref);
  const lacksRoom = events.find(
    (event) => event.reason === 'UpgradeLacksRoom' && world.now - eventTimeMs(event) < RECENT_FAILURE_MS,
  );
  if (lacksRoom !== undefined)
    return {
      code: 'UpgradeLacksRoom',
      object: ref,
      sentence: `the upgrade of ${refText(ref)} waits: ${brief(lacksRoom.note)}`,
      evidence: [{ object: ref, source: 'event UpgradeLacksRoom', text: brief(lacksRoom.note) }],
      action:
        'Add nodes, or choose an upgradeStrategy that needs less room at once: NewClusterWithIncrementalUpgrade or Recreate.',
    };
  const failed = metadata?.annotations?.['ray.io/failed-upgrade'];
  const rolledBack = events.find(({ reason }) => reason === 'UpgradeRolledBack');
  if (rolledBack !== undefined || failed !== undefined)
    return {
      code: 'UpgradeRolledBack',
      object: ref,
      sentence: `the last upgrade of ${refText(ref)} was rolled back${rolledBack === undefined ? '' : `: ${brief(rolledBack.note)}`}`,
      evidence: [
        {
          object: ref,
          source: rolledBack === undefined ? 'metadata.annotations[ray.io/failed-upgrade]' : 'event UpgradeRolledBack',
          text: brief(rolledBack?.note) || (failed ?? ''),
        },
      ],
      action: 'The previous version serves. Correct the spec; any change starts a new upgrade.',
    };
  if (ready?.status === 'True') return isConditionTrue(conditions, UpgradeInProgress) ? upgrading(ref) : undefined;
  const isServing = Object.values(status?.activeServiceStatus?.applicationStatuses ?? {}).some(
    (app) => app.status === 'RUNNING',
  );
  if (ready?.reason === RayServiceConditionReason.ZeroServeEndpoints || isServing)
    return {
      code: 'NoServeEndpoints',
      object: ref,
      sentence: `no pod is ready behind the serve Service of ${refText(ref)}`,
      evidence: at(Ready),
      action:
        'Look at the pods of the active cluster: those with the label ray.io/serve=true take requests, and their readiness probe asks the Serve proxy.',
    };
  return undefined;
}

/** A service that is not ready although nothing that was read is wrong. */
function unexplained(ref: RayRef, service: RayService, ready: Condition | undefined, world: World): Cause {
  const text = ready === undefined ? 'no condition Ready' : `${ready.reason}: ${brief(ready.message)}`;
  const isProgress = ageMs(world, service) < YOUNG_MS;
  return {
    code: 'Unknown',
    object: ref,
    sentence: `${refText(ref)} is not ready: ${text}`,
    evidence: [{ object: ref, source: 'status.conditions[Ready]', text }],
    action: isProgress
      ? 'Wait.'
      : 'Read the events of the RayService (kubectl ray events) and the log of the operator.',
    ...(isProgress ? { isProgress } : {}),
  };
}

function upgrading(ref: RayRef): Cause {
  return {
    code: 'Upgrading',
    object: ref,
    sentence: `${refText(ref)} is moving to a new cluster; the old one serves meanwhile`,
    evidence: [{ object: ref, source: `status.conditions[${UpgradeInProgress}]`, text: 'True' }],
    action: 'Wait.',
    isProgress: true,
  };
}
