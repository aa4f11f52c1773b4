import { Label, serviceNames } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History } from '../history.ts';
import { canServe } from './serve.ts';
import { asRoute, asService, isReadyPod, SERVICE, STORED } from './stage.ts';

/** Clusters that a request may be sent to as things stand, each with its share in percent. */
export type Shares = ReadonlyMap<string, number>;

/** Who gets the requests of the service's clients: by the route where it is upgraded step by step, else by its Service. */
export function sharesNow(history: History): Shares {
  const service = history.list(STORED.services).find(({ metadata }) => metadata.name === SERVICE);
  const isStepwise =
    service !== undefined && asService(service).spec?.upgradeStrategy?.type === 'NewClusterWithIncrementalUpgrade';
  return isStepwise ? routeShares(find(history, STORED.routes, serviceNames.httpRoute(SERVICE))) : selected(history);
}

/** The shares that a route gives to clusters. */
export function routeShares(route: StoredObject | undefined): Shares {
  const refs =
    route === undefined ? [] : (asRoute(route).spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
  return new Map(
    refs.flatMap(({ name, weight = 1 }) => (weight > 0 ? [[name.replace(/-serve-svc$/, ''), weight]] : [])),
  );
}

function selected(history: History): Shares {
  return wholeShare(find(history, STORED.kubeServices, serviceNames.serve(SERVICE)));
}

/** All to the cluster that a Service leads to. */
export function wholeShare(service: StoredObject | undefined): Shares {
  const cluster = selectedBy(service);
  return new Map(cluster === undefined ? [] : [[cluster, 100]]);
}

/** The cluster that a Service leads to. */
export function selectedBy(service: StoredObject | undefined): string | undefined {
  return (service as { readonly spec?: { readonly selector?: Record<string, string> } } | undefined)?.spec?.selector?.[
    Label.Cluster
  ];
}

/** Whether a request that is sent to this cluster is answered: a pod takes it, and its Serve knows what to do. */
export function isAnswered(history: History, cluster: string, now: number): boolean {
  const isThere = history
    .list(STORED.pods)
    .some(
      (pod) =>
        pod.metadata.labels?.[Label.Cluster] === cluster &&
        pod.metadata.labels[Label.Serve] === 'true' &&
        isReadyPod(pod),
    );
  return isThere && canServe((resource) => history.list(resource), cluster, now);
}

function find(
  history: History,
  resource: (typeof STORED)[keyof typeof STORED],
  name: string,
): StoredObject | undefined {
  return history.list(resource).find(({ metadata }) => metadata.name === name);
}
