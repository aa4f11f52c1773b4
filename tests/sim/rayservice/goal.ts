import { isConditionTrue, Label, type RayService, RayServiceConditionType as Type, serviceNames } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History } from '../history.ts';
import { capacityOf, headOf, type Serve, serveOf } from './serve.ts';
import {
  asCluster,
  asService,
  clusterOf,
  isGoing,
  isNeverAccepted,
  isReadyPod,
  ownerOf,
  SERVICE,
  STORED,
} from './stage.ts';
import { isAnswered, selectedBy, sharesNow } from './traffic.ts';

/** What is still missing: one cluster that serves what is wanted and gets all the traffic, and a status that says so. */
export function goal(history: History): string | undefined {
  return missing(history) ?? justMoved(history);
}

/** Moves may come late, and what comes of them takes its time: a head that starts, code that is deployed. */
function justMoved({ events, now }: History): string | undefined {
  const last = events.findLast(({ by }) => by === 'user' || by === 'environment');
  return last !== undefined && now - last.at < 60_000 ? 'the world has moved a moment ago' : undefined;
}

function missing(history: History): string | undefined {
  const service = history.list(STORED.services).find(({ metadata }) => metadata.name === SERVICE);
  const owned = history.list(STORED.clusters).filter((cluster) => ownerOf(cluster) !== undefined);
  const orphan = owned.find((cluster) => ownerOf(cluster) !== service?.metadata.uid);
  if (orphan !== undefined) return `${orphan.metadata.name} has lost its service and is still there`;
  const clusters = new Set(history.list(STORED.clusters).map(({ metadata }) => metadata.name));
  const left = history.list(STORED.pods).find((pod) => !clusters.has(clusterOf(pod)));
  if (left !== undefined) return `${left.metadata.name} has lost its cluster and is still there`;
  const routing = [STORED.gateways, STORED.routes].flatMap((kind) => history.list(kind));
  const untold = routing.find((object) => !('status' in object) && !isNeverAccepted(object));
  if (untold !== undefined) return `${untold.metadata.name} is not accepted yet`;
  if (service === undefined) return undefined;
  if (isGoing(service)) return 'the service is still there';
  const whole = asService(service);
  if (whole.spec?.suspend === true) return missingRest(whole, owned);
  const { activeServiceStatus: active, pendingServiceStatus: pending } = whole.status ?? {};
  const unused = owned.find(
    ({ metadata }) => ![active, pending].some((side) => side?.rayClusterName === metadata.name),
  );
  if (unused !== undefined) return `${unused.metadata.name} is of no use and still there`;
  // Without a Gateway that takes the traffic no upgrade ends; whoever serves goes on.
  const isStuck = isBroken(whole) || (isStepwise(whole.spec) && routing.some(isNeverAccepted));
  return missingTraffic(history) ?? (isStuck ? missingReason(history, whole) : missingUpgrade(history, whole, owned));
}

/** Whoever waits for a Gateway that nobody serves, or would have to, is told so. */
function missingReason(history: History, { spec, status }: RayService): string | undefined {
  const { conditions, activeServiceStatus: active } = status ?? {};
  if (!isStepwise(spec) || !active?.rayClusterName) return undefined;
  const [gateway] = history.list(STORED.gateways);
  const [route] = history.list(STORED.routes);
  const message = conditions?.find(({ type }) => type === Type.UpgradeInProgress)?.message ?? '';
  if (gateway !== undefined && isNeverAccepted(gateway) && !message.includes('is not programmed'))
    return 'the status does not say that the Gateway is not programmed';
  const isRouteLost = route !== undefined && isNeverAccepted(route) && gateway !== undefined && 'status' in gateway;
  return isRouteLost && !message.includes('no Gateway has taken')
    ? 'the status does not say that no Gateway has taken the route'
    : undefined;
}

function isBroken({ spec }: RayService): boolean {
  return spec?.serveConfigV2?.includes('broken') === true;
}

function missingRest({ status }: RayService, owned: readonly StoredObject[]): string | undefined {
  if (owned.length > 0) return `${owned.length} clusters are there though the service is suspended`;
  return isConditionTrue(status?.conditions, Type.Suspended)
    ? undefined
    : 'the status does not say that it is suspended';
}

/** Whoever can answer while others get the requests should get them. */
function missingTraffic(history: History): string | undefined {
  const now = history.events.at(-1)?.at ?? 0;
  const answering = history.list(STORED.clusters).filter(({ metadata }) => isAnswered(history, metadata.name, now));
  const lost = [...sharesNow(history).keys()].find((cluster) => !isAnswered(history, cluster, now));
  return lost !== undefined && answering.length > 0 ? `requests go to ${lost}, which does not answer` : undefined;
}

function missingUpgrade(
  history: History,
  { spec, status }: RayService,
  owned: readonly StoredObject[],
): string | undefined {
  const active = status?.activeServiceStatus?.rayClusterName ?? '';
  const pending = status?.pendingServiceStatus?.rayClusterName ?? '';
  if (active === '' || pending !== '') return `${active || 'nobody'} is active and ${pending || 'nobody'} pending`;
  const [cluster, ...others] = owned;
  if (cluster?.metadata.name !== active || others.length > 0)
    return `there are ${owned.map(({ metadata }) => metadata.name).join(', ')}`;
  const isCurrent = imageOf(asCluster(cluster).spec) === imageOf(spec?.rayClusterConfig);
  if (!isCurrent && spec?.upgradeStrategy?.type !== 'None') return `${active} is of an older spec`;
  const shares = sharesNow(history);
  if (shares.size !== 1 || shares.get(active) !== 100) return `the traffic goes to ${[...shares].flat().join(' ')}`;
  return (
    missingServe(history, active, spec?.serveConfigV2 ?? '') ??
    missingServices(history, active, isStepwise(spec)) ??
    wrongStatus(history, status, active)
  );
}

function missingServe(history: History, active: string, wanted: string): string | undefined {
  const head = headOf((resource) => history.list(resource), active);
  const serve: Serve | undefined = head === undefined ? undefined : serveOf((resource) => history.list(resource), head);
  const code = serve?.config.applications?.[0]?.import_path;
  if (serve === undefined || !wanted.includes(`import_path: ${code ?? '?'}\n`))
    return `${active} runs ${code ?? 'nothing'}`;
  return capacityOf(serve) === 100 ? undefined : `${active} serves ${capacityOf(serve)} percent`;
}

function isStepwise(spec: RayService['spec']): boolean {
  return spec?.upgradeStrategy?.type === 'NewClusterWithIncrementalUpgrade';
}

/** Where traffic moves in steps, the route leads to the clusters' own Services. */
function missingServices(history: History, active: string, isRouted: boolean): string | undefined {
  for (const name of [serviceNames.head(SERVICE), ...(isRouted ? [] : [serviceNames.serve(SERVICE)])]) {
    const found = history.list(STORED.kubeServices).find(({ metadata }) => metadata.name === name);
    if (selectedBy(found) !== active) return `${name} leads to ${selectedBy(found) ?? 'nobody'}`;
  }
  return undefined;
}

function wrongStatus(history: History, status: RayService['status'] | undefined, active: string): string | undefined {
  const wrong = [
    isConditionTrue(status?.conditions, Type.Ready) ? undefined : 'not Ready',
    isConditionTrue(status?.conditions, Type.UpgradeInProgress) ? 'UpgradeInProgress' : undefined,
    isConditionTrue(status?.conditions, Type.RollbackInProgress) ? 'RollbackInProgress' : undefined,
    status?.serviceStatus === 'Running' ? undefined : `serviceStatus ${status?.serviceStatus}`,
    Object.values(status?.activeServiceStatus?.applicationStatuses ?? {}).some((each) => each.status !== 'RUNNING')
      ? 'that not all applications run'
      : undefined,
  ].find((word) => word !== undefined);
  if (wrong !== undefined) return `the status says ${wrong}`;
  const serving = history
    .list(STORED.pods)
    .filter((pod) => clusterOf(pod) === active && pod.metadata.labels?.[Label.Serve] === 'true' && isReadyPod(pod));
  return status?.numServeEndpoints === serving.length && serving.length === 2
    ? undefined
    : `${status?.numServeEndpoints} endpoints are told where ${serving.length} of 2 are`;
}

function imageOf(spec: NonNullable<RayService['spec']>['rayClusterConfig'] | undefined): string | undefined {
  return spec?.headGroupSpec.template.spec?.containers[0]?.image;
}
