import {
  type Cluster,
  type Controller,
  createEventRecorder,
  endpointSlices,
  nameOf,
  readAll,
  services,
} from '@manta/controllers';
import type { Balancers, Refusal } from './balancers.ts';
import { type PortRoute, type ServiceRoute, serviceRoutes } from './service-routes.ts';

/** The address of node ports, not reachable from outside of this machine. */
const HOST = '127.0.0.1';
const RETRY_MS = 5000;

/** Serves the node ports of Services on this machine. A port that cannot be opened is reported in an event of its Service, and retried. */
export function nodePortController(cluster: Cluster, balancers: Balancers): Controller {
  const record = createEventRecorder(cluster, 'node-ports');
  /** Ports that are reported as not served: the Service's uid and the port. */
  let reported: ReadonlySet<string> = new Set();
  return {
    name: 'node-ports',
    watches: [services, endpointSlices].map(nameOf),
    keysOf: () => ['all'],
    async reconcile() {
      const routes = serviceRoutes(readAll(cluster.store, services), readAll(cluster.store, endpointSlices));
      const all = routes.flatMap((route) => route.ports.flatMap((port) => nodePortOf(route, port)));
      const refusals = await balancers.apply(all.map(({ balanced }) => balanced));
      const refused = new Map(refusals.map((refusal) => [refusal.balanced.port, refusal]));
      const isWaiting = new Set<string>();
      for (const { route, balanced } of all) {
        const key = `${route.service.metadata.uid}:${balanced.port}`;
        const refusal = refused.get(balanced.port);
        if (refusal !== undefined) isWaiting.add(key);
        if (refusal !== undefined && !reported.has(key))
          await record(route.service, 'Warning', 'NodePortNotServed', complaint(refusal));
        if (refusal === undefined && reported.has(key) && balanced.targets.length > 0)
          await record(
            route.service,
            'Normal',
            'NodePortServed',
            `node port ${balanced.port} is served on ${HOST} now`,
          );
      }
      reported = isWaiting;
      return isWaiting.size === 0 ? undefined : { afterMs: RETRY_MS };
    },
  };
}

function nodePortOf(route: ServiceRoute, { nodePort = 0, targets }: PortRoute) {
  return nodePort === 0 ? [] : [{ route, balanced: { host: HOST, port: nodePort, targets } }];
}

function complaint({ balanced: { port }, error }: Refusal): string {
  const isTaken = 'code' in error && error.code === 'EADDRINUSE';
  const why = isTaken ? 'something else on this machine listens there' : error.message;
  return `node port ${port} is not served on ${HOST}: ${why}; it is tried again every ${RETRY_MS / 1000} s, or choose another nodePort`;
}
