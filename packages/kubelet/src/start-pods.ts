import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { startController, kubernetesEndpoints } from '@manta/controllers';
import { SERVICE_CIDR } from '@manta/apiserver';
import { startHeartbeat } from './node/heartbeat.ts';
import { podBackend } from './backend/pod-backend.ts';
import type { ImageTable } from './environment/images.ts';
import { type ProcessKubelet, startProcessKubelet } from './pods/process-kubelet.ts';
import { openCgroups } from './limits/cgroups.ts';
import { Balancers } from './network/balancers.ts';
import { type DashboardLink, Dashboards } from './network/dashboards.ts';
import { createEgress, type ProxyFor } from './network/egress.ts';
import { findDestination } from './network/find-pod.ts';
import type { Admit } from './network/loopback-access.ts';
import { nodePortController } from './network/node-ports.ts';
import { createAddressPolicy } from './network/refused-address.ts';
import { describeCapacity, nodeCapacity, type WantedCapacity } from './node/capacity.ts';
import { pipVariables } from './network/pip-variables.ts';
import { type Dial, type ServiceProxy, startServiceProxy } from './network/service-proxy.ts';
import type { PodsContext, RunningPods } from './pods-context.ts';
import { chooseDriver, type SandboxMode } from './sandbox/choose-driver.ts';
import { POD_RANGE } from './sandbox/namespace-driver.ts';

/** How pods are run on this machine. */
export interface PodsOptions {
  readonly dataDir: string;
  readonly images: ImageTable;
  /** Runs the program inside the namespaces; its settings are appended as one argument. */
  readonly supervisorCommand: readonly string[];
  /** Default: the best driver that works. */
  readonly mode?: SandboxMode | undefined;
  /** Files that give power over this engine, wherever they are: no pod sees them, nor the data directory. */
  readonly hidden?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The proxy that this machine itself needs for an address outside. */
  readonly proxyFor: ProxyFor;
  /** Addresses and ranges that pods may reach through the egress proxy though they are refused otherwise. */
  readonly egressAllowed?: readonly string[] | undefined;
  /** Which connections to the engine's loopback ports are served; all unless given. */
  readonly admit?: Admit | undefined;
  /** What the node advertises instead of what is derived from the machine. */
  readonly capacity?: WantedCapacity | undefined;
  /** Called with the URLs of all Ray dashboards whenever they change. */
  readonly onDashboards?: (links: readonly DashboardLink[]) => void;
}

export interface LocalPods extends RunningPods {
  /** Which isolation the pods have, in one line. */
  readonly description: string;
  /** What the node advertises and why, in one line. */
  readonly node: string;
  /** Set as HTTP_PROXY, it lets a program on this machine reach Services and pods by name. */
  readonly proxy: ServiceProxy;
  /** A connection to a port behind a Service's name or at a pod's address; it ends for both sides when one of them ends it. */
  readonly dial: Dial;
}

/** Brings up the pods' network, a node and its kubelet. */
export async function startPods({ cluster, accept }: PodsContext, options: PodsOptions): Promise<LocalPods> {
  // Pods are dialled by what is made after this.
  const made: { kubelet?: ProcessKubelet } = {};
  const dial = async (host: string, port: number): Promise<Duplex> => {
    const destination = findDestination(cluster, host, port);
    const { namespace = '', name = '' } = destination?.pod.metadata ?? {};
    const sandbox = made.kubelet?.worker(namespace, name)?.sandbox;
    if (destination === undefined || sandbox === undefined)
      throw new Error(`nobody answers for ${host}:${port}: no pod behind it runs`);
    return await sandbox.connect(destination.port);
  };
  const driver = await chooseDriver({
    mode: options.mode,
    dataDir: options.dataDir,
    supervisorCommand: options.supervisorCommand,
    hidden: options.hidden ?? [],
    onApiConnection: accept,
    onEgressConnection: createEgress({
      proxyFor: options.proxyFor,
      policy: createAddressPolicy({ engineRanges: [SERVICE_CIDR, POD_RANGE], allowed: options.egressAllowed ?? [] }),
    }),
    dial,
    admit: options.admit,
    onTrouble: (error) => cluster.onError?.('pods', 'supervisor', error),
  });
  const nodeName =
    hostname()
      .toLowerCase()
      .replaceAll(/[^a-z0-9.-]/g, '-') || 'localhost';
  const capacity = nodeCapacity(options.capacity);
  const stopHeartbeat = await startHeartbeat(cluster, { name: nodeName, capacity, address: '127.0.0.1' });
  const cgroups = openCgroups({ mark: createHash('sha256').update(options.dataDir).digest('hex').slice(0, 12) });
  const kubelet = startProcessKubelet(cluster, {
    cgroups,
    nodeName,
    driver,
    images: options.images,
    dataDir: options.dataDir,
    capacity,
    env: pipVariables(options.env, driver.egress),
  });
  made.kubelet = kubelet;
  const proxy = await startServiceProxy({ dial, admit: options.admit });
  const nodePorts = new Balancers(({ ip, port }) => dial(ip, port), options.admit);
  const stopNodePorts = startController(cluster, nodePortController(cluster, nodePorts));
  const { admit, onDashboards } = options;
  const dashboards = new Dashboards({ dial, admit, onChange: (links) => onDashboards?.(links) });
  const stopDashboards = startController(cluster, dashboards.controller(cluster));
  // Nothing of Kubernetes takes an endpoint on the loopback interface, where pods without namespaces find it.
  const hasEndpoint = !driver.apiServer.host.startsWith('127.');
  const stopEndpoints = hasEndpoint
    ? startController(cluster, kubernetesEndpoints(cluster, driver.apiServer))
    : undefined;
  return {
    description: `${driver.description}; ${cgroups === undefined ? 'limits are told to Ray, not enforced' : 'memory and CPU limits are enforced'}`,
    node: describeCapacity(capacity, options.capacity),
    proxy,
    async dial(host, port) {
      const connection = await dial(host, port);
      connection.allowHalfOpen = false;
      return connection;
    },
    backend: podBackend(kubelet, cluster.world.clock),
    async stop() {
      stopHeartbeat();
      stopNodePorts();
      stopDashboards();
      dashboards.close();
      stopEndpoints?.();
      nodePorts.close();
      await kubelet.stop();
      await proxy.close();
      await driver.close();
      cgroups?.close();
    },
  };
}
