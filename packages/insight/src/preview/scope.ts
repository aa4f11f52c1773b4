import { Label, type KubeObject } from '@manta/api';
import { clusterNameOf, controllerOf } from '@manta/plan';
import { itemsOf, type Part, type RayRef, type World } from '../world.ts';
import { VirtualCluster } from './virtual-cluster.ts';

/** The objects of one namespace that the given objects consist of: their RayJobs, RayClusters, pods, Services and routes. */
export function virtualClusterOf(world: World, namespace: string, refs: readonly RayRef[]): VirtualCluster {
  const cluster = new VirtualCluster(world.now);
  const within = <T extends KubeObject>(part: Part<T>) =>
    itemsOf(part).filter(({ metadata }) => metadata?.namespace === namespace);
  const named = (kind: string) => new Set(refs.filter((ref) => ref.kind === kind).map(({ name }) => name));
  const nameOf = ({ metadata }: KubeObject) => metadata?.name ?? '';

  const [cronJobNames, jobNames] = [named('RayCronJob'), named('RayJob')];
  const services = within(world.rayServices).filter((each) => named('RayService').has(nameOf(each)));
  const cronJobs = within(world.rayCronJobs).filter((each) => cronJobNames.has(nameOf(each)));
  const jobs = within(world.rayJobs).filter(
    (each) => jobNames.has(nameOf(each)) || cronJobNames.has(each.metadata?.labels?.[Label.CronJobName] ?? ''),
  );
  const owners = new Set([...services, ...jobs].map(({ metadata }) => metadata?.uid));
  const clusterNames = new Set([...named('RayCluster'), ...jobs.map(clusterNameOf)]);
  const clusters = within(world.rayClusters).filter(
    (each) => clusterNames.has(nameOf(each)) || owners.has(controllerOf(each)),
  );
  const uids = new Set(clusters.map(({ metadata }) => metadata?.uid));
  // Pods that only carry a cluster's label are nobody's: planners ignore them.
  const pods = within(world.pods).filter((pod) => uids.has(controllerOf(pod)));

  const load = (kind: string, objects: readonly KubeObject[]) => {
    for (const object of objects) cluster.load(kind, object);
  };
  load('RayService', services);
  load('RayCronJob', cronJobs);
  load('RayJob', jobs);
  load('RayCluster', clusters);
  load('Pod', pods);
  load('Service', within(world.services));
  load('Job', within(world.jobs));
  load('PersistentVolumeClaim', within(world.claims));
  load('Gateway', within(world.gateways));
  load('HTTPRoute', within(world.httpRoutes));
  return cluster;
}
