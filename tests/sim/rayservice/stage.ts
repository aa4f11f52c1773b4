import {
  type CustomResourceDefinition,
  Label,
  OriginCrd,
  type Pod,
  type RayCluster,
  type RayService,
  type RayServiceSpec,
} from '@manta/api';
import { crds } from '@manta/api/crds';
import type { ServedResource, StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { gatewayCrds } from '@manta/router';
import { servedDefinition } from '../../../packages/apiserver/src/registry/served-definition.ts';
import type { Choices } from '../choices.ts';
import { lightResource } from '../light-server.ts';
import type { Backstage } from '../scenario.ts';

/** Where everything happens, and the one service that it happens to. */
export const NAMESPACE = 'default';
export const SERVICE = 'svc';

/** A cluster that looks as if it were the service's, and is not. */
export const STRANGER = 'svc-stranger';

/** What the store calls them. */
export const STORED = {
  services: 'ray.io/rayservices',
  clusters: 'ray.io/rayclusters',
  routes: 'gateway.networking.k8s.io/httproutes',
  gateways: 'gateway.networking.k8s.io/gateways',
  pods: '/pods',
  kubeServices: '/services',
  slices: 'discovery.k8s.io/endpointslices',
  memories: '/configmaps',
} as const;

/** The kinds in their current version, with templates left open: checking those takes most of a run's time. */
const SERVED = ['RayCluster', 'RayService'].map((kind) =>
  lightResource(servedDefinition(opened(kind)) as ServedResource),
);
const GATEWAY_API = gatewayCrds().map((crd) => lightResource(servedDefinition(crd) as ServedResource));

function opened(kind: string): CustomResourceDefinition {
  const definition = crds().find(({ spec }) => spec.names.kind === kind);
  const versions = definition?.spec.versions.filter(({ storage }) => storage);
  const text = JSON.stringify({ ...definition, spec: { ...definition?.spec, versions } }, (key, value: unknown) =>
    ['template', 'headService', 'serveService', 'rayClusterConfig'].includes(key)
      ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
      : value,
  );
  return JSON.parse(text) as CustomResourceDefinition;
}

/** A namespace with a service and a stranger in it. */
export async function prepare(backstage: Backstage): Promise<void> {
  const { api, client } = backstage;
  await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
  for (const resource of [...SERVED, ...GATEWAY_API]) api.registry.serve(resource);
  await client.create(resources.nodes, { metadata: { name: 'n1' } });
  await createService(backstage);
  const labels = { [Label.OriginatedFromCrName]: SERVICE, [Label.OriginatedFromCrd]: OriginCrd.RayService };
  const spec = specOf({ image: 'stranger', code: 'v1' }).rayClusterConfig;
  await client.create(resources.rayClusters, { metadata: { name: STRANGER, namespace: NAMESPACE, labels }, spec });
}

export async function createService({ client, choices }: Backstage): Promise<void> {
  const spec: RayServiceSpec = { ...specOf({ image: 'ray:1', code: 'v1' }), ...randomStrategy(choices) };
  await client.create(resources.rayServices, { metadata: { name: SERVICE, namespace: NAMESPACE }, spec });
}

/** What a service runs: the image of its clusters, and the code of its application. */
export function specOf({ image, code }: { readonly image: string; readonly code: string }): RayServiceSpec {
  const template = { spec: { containers: [{ name: 'ray', image, ports: [{ name: 'serve', containerPort: 8000 }] }] } };
  return {
    serveConfigV2: configOf(code),
    rayClusterConfig: {
      rayVersion: '2.52.0',
      enableInTreeAutoscaling: true,
      headGroupSpec: { rayStartParams: {}, template },
      workerGroupSpecs: [{ groupName: 'x', replicas: 1, minReplicas: 1, maxReplicas: 3, rayStartParams: {}, template }],
    },
  };
}

/** Code called `broken` does not deploy. */
export function configOf(code: string): string {
  return `applications:\n- name: app\n  route_prefix: /\n  import_path: ${code}\n`;
}

function randomStrategy(choices: Choices): Partial<RayServiceSpec> {
  const delay =
    [{}, { rayClusterDeletionDelaySeconds: 5 }, { rayClusterDeletionDelaySeconds: 0 }][choices.pick(3)] ?? {};
  return { ...delay, upgradeStrategy: anyStrategy(choices) };
}

/** How a service takes a new spec: most often by a second cluster, at once or in steps. */
export function anyStrategy(choices: Choices): NonNullable<RayServiceSpec['upgradeStrategy']> {
  if (choices.chance(0.1)) return { type: choices.chance(0.5) ? 'None' : 'Recreate' };
  if (choices.chance(0.4)) return { type: 'NewCluster' };
  const [maxSurgePercent = 100, stepSizePercent = 100] = [
    [100, 50],
    [50, 25],
    [100, 100],
    [40, 40],
  ][choices.pick(4)] ?? [100, 50];
  const intervalSeconds = 1 + choices.pick(5);
  const clusterUpgradeOptions = { maxSurgePercent, stepSizePercent, intervalSeconds, gatewayClassName: 'manta' };
  return { type: 'NewClusterWithIncrementalUpgrade', clusterUpgradeOptions };
}

/** What is stored under a kind is of that kind: the server has checked it. */
export const asService = (object: StoredObject): RayService & StoredObject => object;
export const asCluster = (object: StoredObject): RayCluster & StoredObject => object;
export const asPod = (object: StoredObject): Pod & StoredObject => object;

/** The part of a route that says who gets what. */
export interface RouteLike extends StoredObject {
  readonly spec?: {
    readonly rules?: readonly {
      readonly backendRefs?: readonly { readonly name: string; readonly weight?: number }[];
    }[];
  };
}
export const asRoute = (object: StoredObject): RouteLike => object;

/** What stands on a Gateway or a route that nobody will ever accept. */
export const NEVER = 'sim/never-accepted';

export function isNeverAccepted({ metadata }: StoredObject): boolean {
  return metadata.annotations?.[NEVER] !== undefined;
}

export function isGoing({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function ownerOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

export function isReadyPod(object: StoredObject): boolean {
  const { conditions = [] } = asPod(object).status ?? {};
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True') && !isGoing(object);
}

export function clusterOf({ metadata }: StoredObject): string {
  return metadata.labels?.[Label.Cluster] ?? '';
}

/** Nobody but its user has the say: it is wanted, and not put to rest. */
export function isWanted(service: StoredObject | undefined): service is StoredObject {
  return service !== undefined && !isGoing(service) && asService(service).spec?.suspend !== true;
}
