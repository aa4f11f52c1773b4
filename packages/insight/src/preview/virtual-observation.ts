import {
  type AppStatus,
  isRecord,
  isTlsEnabled,
  Label,
  NodeType,
  PortName,
  type RayCluster,
  type RayJob,
  type RayService,
  serviceNames,
} from '@manta/api';
import {
  adoptedRoute,
  type BuildContext,
  clusterNameOf,
  controllerOf,
  cronChildRecord,
  headDashboardPort,
  jobRecord,
  type LastHolder,
  namedRecord,
  type ObservedRayCluster,
  type ObservedRayCronJob,
  type ObservedRayJob,
  type ObservedRayService,
  ownPods,
  type ParsedServeConfig,
  type PodRecord,
  podRecord,
  roleBindingRecord,
  roleRecord,
  routeRecord,
  serviceRecord,
  type ServiceCluster,
  type Submission,
  UNSHARED,
} from '@manta/plan';
import type { PreviewOptions } from './types.ts';
import { endpointsOf, type VirtualCluster } from './virtual-cluster.ts';

/** What planners see of a virtual cluster in which Ray answers as soon as its head is ready. */
export interface VirtualRay {
  readonly context: BuildContext;
  readonly parseYaml: PreviewOptions['parseYaml'];
  readonly hasGatewayApi: boolean;
  /** The deleted pods that last held a place, by cluster uid. */
  readonly lastHolders: Map<string, Map<string, LastHolder>>;
  /** The Serve configuration that each cluster runs, by cluster name. */
  readonly serveConfigs: Map<string, Readonly<Record<string, unknown>>>;
  /** Results of commands that no planner has settled yet, by cluster name. */
  readonly submissions: Map<string, readonly Submission[]>;
  /** Ray job ids that were submitted through HTTP. */
  readonly submittedJobs: Map<string, number>;
}

/** A copy that changes independently. */
export function copyRay(ray: VirtualRay): VirtualRay {
  return {
    ...ray,
    lastHolders: new Map([...ray.lastHolders].map(([uid, places]) => [uid, new Map(places)])),
    serveConfigs: new Map(ray.serveConfigs),
    submissions: new Map(ray.submissions),
    submittedJobs: new Map(ray.submittedJobs),
  };
}

export function observeVirtualCluster(world: VirtualCluster, ray: VirtualRay, cluster: RayCluster): ObservedRayCluster {
  const { name = '', namespace = '', uid = '' } = cluster.metadata ?? {};
  const { objects, now } = world;
  const pods = podsOf(world, name);
  const key = `${namespace}/${name}`;
  const others = (kind: string) =>
    [...objects.Other].filter(([each, object]) => each.startsWith(`${kind}/`) && controllerOf(object) === uid);
  const named = (kind: string) => others(kind).map(([, object]) => namedRecord(object));
  const leaf = { authority: 'preview', renewedAt: undefined, authoritySince: undefined, formerEnd: 0 };
  return {
    now,
    cluster,
    pods,
    children: {
      services: [...objects.Service.values()]
        .map((service) => serviceRecord(service, UNSHARED))
        .filter(({ belongsTo }) => belongsTo.includes(key)),
      serviceAccounts: named('ServiceAccount'),
      roles: [...objects.Role.values()].filter((each) => controllerOf(each) === uid).map(roleRecord),
      roleBindings: [...objects.RoleBinding.values()]
        .filter((each) => controllerOf(each) === uid)
        .map(roleBindingRecord),
      secrets: named('Secret'),
      ingresses: others('Ingress').map(([, object]) => object),
      routes: others('Route').map(([, object]) => routeRecord(object)),
      claims: [...objects.PersistentVolumeClaim.values()].filter((each) => controllerOf(each) === uid),
      cleanupJobs: [...objects.Job.values()].map(jobRecord).filter(({ belongsTo }) => belongsTo.includes(key)),
      budgets: named('PodDisruptionBudget'),
    },
    context: ray.context,
    installed: { certManager: false, openShift: false, ownIssuer: true },
    ...(isTlsEnabled(cluster.spec, ray.context.gates)
      ? { pki: { isReady: true, own: { head: leaf, worker: leaf } } as const }
      : {}),
    tokenBytes: new Uint8Array(32),
    lastHolders: ray.lastHolders.get(uid) ?? new Map(),
    backoffs: new Map(),
    unreadable: new Map(),
    rayNodes: new Map(pods.filter(isHead).map((head) => [head.uid, nodesSeenBy(pods)])),
  };
}

/** Every running pod is a node of Ray. */
function nodesSeenBy(pods: readonly PodRecord[]) {
  return pods
    .filter(({ podIP }) => podIP !== '')
    .map((pod) => ({ ip: pod.podIP, isHead: isHead(pod), isAlive: !pod.isTerminating }));
}

function isHead({ nodeType }: PodRecord): boolean {
  return nodeType === NodeType.Head;
}

function podsOf({ objects }: VirtualCluster, cluster: string): readonly PodRecord[] {
  return [...objects.Pod.values()]
    .filter(({ metadata }) => metadata?.labels?.[Label.Cluster] === cluster)
    .map((pod) => podRecord(pod, UNSHARED));
}

function hasReadyHead(pods: readonly PodRecord[]): boolean {
  return pods.some((pod) => isHead(pod) && pod.ready === 'True' && !pod.isTerminating);
}

export function observeVirtualJob(world: VirtualCluster, ray: VirtualRay, job: RayJob): ObservedRayJob {
  const { name = '', uid } = job.metadata ?? {};
  const { objects, now } = world;
  const clusterName = clusterNameOf(job);
  const cluster = clusterName === undefined ? undefined : objects.RayCluster.get(clusterName);
  const labelled = clusterName === undefined ? [] : podsOf(world, clusterName);
  const pods = cluster === undefined ? labelled : ownPods({ cluster, pods: labelled });
  const submitter = objects.Job.get(name);
  const headService = objects.Service.get(serviceNames.head(name));
  const jobId = job.status?.jobId ?? '';
  const submittedAt = ray.submittedJobs.get(jobId);
  const isKnown =
    job.spec?.submissionMode === 'HTTPMode' ? submittedAt !== undefined : hasReadyHead(pods) && jobId !== '';
  const startTime = Date.parse(job.status?.startTime ?? '') || now;
  return {
    now,
    steady: now,
    job,
    cluster,
    heads: pods.filter(isHead),
    orphanedClusters: [...objects.RayCluster.values()].flatMap((each) => {
      const { name: other = '', uid: otherUid = '', deletionTimestamp } = each.metadata ?? {};
      const isOrphan = controllerOf(each) === uid && other !== clusterName && deletionTimestamp === undefined;
      return isOrphan ? [{ name: other, uid: otherUid, owner: uid }] : [];
    }),
    podCount: pods.length,
    blockedPods: [],
    submitter: submitter === undefined ? undefined : jobRecord(submitter),
    headService: headService === undefined ? undefined : serviceRecord(headService, UNSHARED),
    address: dashboardOf(world, cluster),
    answer: hasReadyHead(pods)
      ? {
          kind: 'answered',
          at: now,
          report: isKnown ? { status: 'RUNNING', message: '', startTime, endTime: 0 } : undefined,
        }
      : { kind: 'unasked' },
    submission: submittedAt === undefined ? undefined : { state: 'done', at: submittedAt },
    stopping: ray.submittedJobs.has(`stop/${jobId}`) ? { state: 'done', at: now, wasNotRunning: false } : undefined,
    context: ray.context,
    parseYaml: ray.parseYaml,
  };
}

const NO_CLUSTER = { isFound: false, why: 'there is no cluster yet' } as const;
const NO_PORT = { isFound: false, why: 'dashboard port is not found' } as const;

/** The dashboard's port of the head Service, by its name or by where it leads. */
function dashboardOf({ objects }: VirtualCluster, cluster: RayCluster | undefined): ObservedRayJob['address'] {
  if (cluster === undefined) return NO_CLUSTER;
  const { metadata = {}, spec } = cluster;
  const name = serviceNames.head(metadata.name ?? '', spec?.headGroupSpec.headService?.metadata?.name);
  const service = objects.Service.get(name);
  if (service === undefined)
    return { isFound: false, why: `the head Service ${metadata.namespace}/${name} is not found` };
  const target = spec === undefined ? undefined : headDashboardPort(spec);
  const ports = service.spec?.ports ?? [];
  const found =
    ports.find((each) => each.name === PortName.Dashboard) ??
    ports.find((each) => (each.targetPort ?? each.port) === target);
  return found === undefined ? NO_PORT : { isFound: true, address: `${name}.${metadata.namespace}:${found.port}` };
}

export function observeVirtualService(world: VirtualCluster, ray: VirtualRay, service: RayService): ObservedRayService {
  const { uid, name = '' } = service.metadata ?? {};
  const { objects, now } = world;
  const route = adoptedRoute({ service }) ?? serviceNames.httpRoute(name);
  return {
    now,
    service,
    context: ray.context,
    clusters: [...objects.RayCluster.values()]
      .filter((cluster) => controllerOf(cluster) === uid)
      .map((cluster) => serviceCluster(world, ray, cluster)),
    kubeServices: new Map(objects.Service),
    endpoints: new Map([...objects.Service].map(([each, object]) => [each, endpointsOf(world, object)])),
    gatewayApi: ray.hasGatewayApi
      ? {
          kind: 'available',
          gateway: objects.Gateway.get(serviceNames.gateway(name)),
          route: objects.HTTPRoute.get(route),
        }
      : { kind: 'missing', why: 'its CRDs are not installed' },
    serveConfig: parseServeConfig(ray, service.spec?.serveConfigV2 ?? ''),
  };
}

function serviceCluster(world: VirtualCluster, ray: VirtualRay, cluster: RayCluster): ServiceCluster {
  const name = cluster.metadata?.name ?? '';
  const pods = ownPods({ cluster, pods: podsOf(world, name) });
  const head = pods.find((pod) => isHead(pod) && !pod.isTerminating);
  const config = ray.serveConfigs.get(name);
  const isReady = hasReadyHead(pods);
  const address = dashboardOf(world, cluster);
  return {
    cluster,
    pods,
    session: head?.uid ?? '',
    serve: !address.isFound
      ? { kind: 'failing', message: address.why }
      : isReady
        ? { kind: 'known', at: world.now, applications: applicationsOf(config), config, capacity: capacityOf(config) }
        : { kind: 'unknown' },
    isProxyHealthy: isReady,
    submissions: ray.submissions.get(name) ?? [],
  };
}

/** Every application that Serve was given runs. */
function applicationsOf(config: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, AppStatus>> {
  const applications = config?.['applications'];
  const names = Array.isArray(applications)
    ? applications.filter(isRecord).map(({ name }) => (typeof name === 'string' ? name : 'default'))
    : [];
  return Object.fromEntries(names.map((name) => [name, { status: 'RUNNING' as const }]));
}

function capacityOf(config: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const capacity = config?.['target_capacity'];
  return typeof capacity === 'number' ? capacity : undefined;
}

export function parseServeConfig({ parseYaml }: Pick<VirtualRay, 'parseYaml'>, text: string): ParsedServeConfig {
  try {
    const value = parseYaml(text);
    return isRecord(value) ? { ok: true, value } : { ok: false, error: 'serveConfigV2 is not a mapping' };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

export function observeVirtualCronJob(
  world: VirtualCluster,
  ray: VirtualRay,
  cronJob: ObservedRayCronJob['cronJob'],
): ObservedRayCronJob {
  const { namespace = '', name = '' } = cronJob.metadata ?? {};
  return {
    now: world.now,
    cronJob,
    children: [...world.objects.RayJob.values()]
      .map(cronChildRecord)
      .filter((child) => child.cronJob === `${namespace}/${name}`),
    gates: ray.context.gates,
    parseYaml: ray.parseYaml,
  };
}
