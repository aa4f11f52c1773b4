import { Label, NodeType, type Pod, PortName, type Service, sha256 } from '@manta/api';
import { ownValue } from '@manta/base';
import { type Cluster, type Controller, nameOf, pods, readAll, services, type Stored } from '@manta/controllers';
import { type DashboardProxy, type DashboardTarget, startDashboardProxy } from './dashboard-proxy.ts';
import type { Admit } from './loopback-access.ts';
import type { Dial } from './service-proxy.ts';

/** A cluster and the URL of its Ray dashboard on this machine. */
export interface DashboardLink {
  readonly namespace: string;
  readonly cluster: string;
  readonly url: string;
}

export interface DashboardsOptions {
  readonly dial: Dial;
  readonly admit?: Admit | undefined;
  /** Called with all links whenever one was added or removed. */
  readonly onChange: (links: readonly DashboardLink[]) => void;
}

interface Open {
  readonly link: DashboardLink;
  readonly proxy: DashboardProxy;
  readonly target: DashboardTarget;
}

/** Ports of dashboards: below node ports and the ports that systems give to clients. */
const [FIRST_PORT, PORTS] = [18_000, 2000];

/** Serves the dashboard of each RayCluster on a loopback port, from the first time its head is ready until its head Service is deleted. */
export class Dashboards {
  readonly #options: DashboardsOptions;
  readonly #open = new Map<string, Open>();
  #isClosed = false;

  constructor(options: DashboardsOptions) {
    this.#options = options;
  }

  /** The controller that follows head Services and head pods. */
  controller(cluster: Cluster): Controller {
    return {
      name: 'dashboards',
      watches: [services, pods].map(nameOf),
      keysOf: ({ object }) => (ownValue(object.metadata.labels ?? {}, Label.NodeType) === NodeType.Head ? ['all'] : []),
      reconcile: async () => {
        await this.#apply(readAll(cluster.store, services), (namespace) => readAll(cluster.store, pods, namespace));
        return undefined;
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const { proxy } of this.#open.values()) proxy.close();
    this.#open.clear();
  }

  async #apply(all: readonly Stored<Service>[], podsIn: (namespace: string) => readonly Stored<Pod>[]): Promise<void> {
    const heads = new Map(all.flatMap((service) => headOf(service) ?? []).map((head) => [keyOf(head), head]));
    let isChanged = false;
    for (const [key, { proxy, target }] of this.#open) {
      const now = heads.get(key)?.target;
      if (now?.host === target.host && now.port === target.port) continue;
      proxy.close();
      this.#open.delete(key);
      isChanged = true;
    }
    for (const [key, head] of heads) {
      if (this.#open.has(key) || !podsIn(head.namespace).some((pod) => isReadyHead(pod, head.cluster))) continue;
      const proxy = await this.#listen(key, head.target);
      if (this.#isClosed) {
        proxy.close();
        return;
      }
      const { namespace, cluster, target } = head;
      this.#open.set(key, { link: { namespace, cluster, url: proxy.url }, proxy, target });
      isChanged = true;
    }
    if (isChanged) this.#options.onChange([...this.#open.values()].map(({ link }) => link));
  }

  /** On a port that follows from the cluster's name, so that its URL stays the same; on any other if that port is taken. */
  async #listen(key: string, target: DashboardTarget): Promise<DashboardProxy> {
    const { dial, admit } = this.#options;
    const own = FIRST_PORT + (Number.parseInt(sha256(key).slice(0, 8), 16) % PORTS);
    return await startDashboardProxy({ target, dial, admit, port: own }).catch(() =>
      startDashboardProxy({ target, dial, admit, port: 0 }),
    );
  }
}

interface Head {
  readonly namespace: string;
  readonly cluster: string;
  readonly target: DashboardTarget;
}

/** The cluster and the dashboard that a Service leads to; undefined unless a RayCluster owns it. */
function headOf({ metadata, spec }: Stored<Service>): Head | undefined {
  const { namespace = '', name, labels = {}, ownerReferences = [] } = metadata;
  const cluster = ownerReferences.find(({ kind, controller }) => kind === 'RayCluster' && controller === true)?.name;
  const port = spec?.ports?.find((each) => each.name === PortName.Dashboard)?.port;
  if (ownValue(labels, Label.NodeType) !== NodeType.Head || cluster === undefined || port === undefined)
    return undefined;
  return { namespace, cluster, target: { host: `${name}.${namespace}.svc`, port } };
}

function isReadyHead({ metadata: { labels = {} }, status }: Stored<Pod>, cluster: string): boolean {
  return (
    ownValue(labels, Label.Cluster) === cluster &&
    ownValue(labels, Label.NodeType) === NodeType.Head &&
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
  );
}

function keyOf({ namespace, cluster }: Head): string {
  return `${namespace}/${cluster}`;
}
