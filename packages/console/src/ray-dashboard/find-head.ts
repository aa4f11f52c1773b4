import {
  EnvName,
  isAuthEnabled,
  isK8sAuthEnabled,
  Label,
  NodeType,
  type Pod,
  type RayCluster,
  type RayJob,
  type RayService,
} from '@manta/api';
import { type Clock, isNotFound, type KubeClient, type ObjectRef, resources } from '@manta/kube';
import { headDashboardPort } from '@manta/plan';
import type { HeadAddress } from './head-dial.ts';

/** What a viewer asked to see; a RayService's cluster changes with each upgrade. */
export interface DashboardTarget {
  readonly kind: 'rayclusters' | 'rayservices' | 'rayjobs';
  readonly namespace: string;
  readonly name: string;
}

/** A head that can be asked, and the token that its cluster asks for. */
export interface FoundHead extends HeadAddress {
  readonly cluster: string;
  readonly token?: string;
}

/** No head can be asked; the message is for the viewer. */
export class HeadNotFound extends Error {
  override readonly name = 'HeadNotFound';
}

/** How long a head is remembered: its pod may be replaced at any time. */
const HEAD_AGE_MS = 3000;

/** Finds heads with the console's own account; callers check the viewer's rights on the cluster that was found. */
export class Heads {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly at: number; readonly head: Promise<FoundHead> }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The head of a RayCluster. Rejects with `HeadNotFound` if there is none now. */
  async find(namespace: string, cluster: string): Promise<FoundHead> {
    const now = this.#clock.now();
    for (const [key, { at }] of this.#known) if (Math.abs(now - at) > HEAD_AGE_MS) this.#known.delete(key);
    const key = `${namespace}/${cluster}`;
    const known = this.#known.get(key);
    if (known !== undefined) return await known.head;
    const head = this.#read(namespace, cluster);
    head.catch(() => this.#known.delete(key));
    this.#known.set(key, { at: now, head });
    return await head;
  }

  async #read(namespace: string, name: string): Promise<FoundHead> {
    const cluster: RayCluster = await this.#client.get(resources.rayClusters, { namespace, name }).catch((error) => {
      if (isNotFound(error)) throw new HeadNotFound(`RayCluster ${namespace}/${name} does not exist`);
      throw error;
    });
    const pod = await this.#headPod(cluster);
    const port = cluster.spec === undefined ? 8265 : headDashboardPort(cluster.spec);
    const token = await this.#token(cluster, pod);
    return {
      cluster: name,
      namespace,
      pod: pod.metadata?.name ?? '',
      ip: pod.status?.podIP ?? '',
      port,
      ...(token === undefined ? {} : { token }),
    };
  }

  /** A running head pod that this very cluster controls: labels alone could be anybody's. */
  async #headPod({ metadata }: RayCluster): Promise<Pod> {
    const { namespace = '', name = '', uid } = metadata ?? {};
    const labelSelector = `${Label.Cluster}=${name},${Label.NodeType}=${NodeType.Head}`;
    const { items } = await this.#client.list(resources.pods, { namespace, labelSelector });
    const own = items.filter(
      ({ metadata: pod, status }) =>
        pod?.deletionTimestamp === undefined &&
        status?.phase === 'Running' &&
        status.podIP !== undefined &&
        pod?.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true,
    );
    const ready = own.find(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    const pod = ready ?? own[0];
    if (pod === undefined) throw new HeadNotFound(`RayCluster ${namespace}/${name} has no running head pod now`);
    return pod;
  }

  /** The token is in the Secret that the head pod itself reads it from. */
  async #token({ metadata, spec }: RayCluster, pod: Pod): Promise<string | undefined> {
    if (!isAuthEnabled(spec)) return undefined;
    const { namespace = '', name = '' } = metadata ?? {};
    if (isK8sAuthEnabled(spec))
      throw new HeadNotFound(
        `RayCluster ${namespace}/${name} takes Kubernetes tokens (spec.authOptions.enableK8sTokenAuth): the console sends yours to no cluster. Use kubectl ray session.`,
      );
    const env = pod.spec?.containers[0]?.env?.find((each) => each.name === EnvName.AuthToken);
    const ref = env?.valueFrom?.secretKeyRef;
    if (ref?.name === undefined)
      throw new HeadNotFound(`the head pod of ${namespace}/${name} names no Secret with its token`);
    const secret = await this.#client.get(resources.secrets, { namespace, name: ref.name }).catch((error: unknown) => {
      throw new HeadNotFound(
        `RayCluster ${namespace}/${name} asks for a token, and the console may not read Secret ${ref.name}: give its account the verb "get" on secrets in ${namespace}`,
        { cause: error },
      );
    });
    const encoded = secret.data?.[ref.key];
    if (encoded === undefined) throw new HeadNotFound(`Secret ${namespace}/${ref.name} has no key ${ref.key}`);
    return Buffer.from(encoded, 'base64').toString('utf8');
  }
}

/** The cluster that runs an object now, read with the viewer's identity: its name is part of an object that the viewer may not see. */
export async function clusterOf(client: KubeClient, { kind, namespace, name }: DashboardTarget): Promise<string> {
  if (kind === 'rayclusters') return name;
  const ref = { namespace, name };
  const found = await (kind === 'rayjobs' ? clusterOfJob(client, ref) : clusterOfService(client, ref)).catch(
    (error: unknown) => {
      if (isNotFound(error)) throw new HeadNotFound(`${kind} ${namespace}/${name} does not exist`);
      throw error;
    },
  );
  if (found === undefined || found === '') throw new HeadNotFound(`${kind} ${namespace}/${name} has no cluster now`);
  return found;
}

async function clusterOfJob(client: KubeClient, ref: ObjectRef): Promise<string | undefined> {
  const { status }: RayJob = await client.get(resources.rayJobs, ref);
  return status?.rayClusterName;
}

/** The active cluster, and before the first one is ready the pending one. */
async function clusterOfService(client: KubeClient, ref: ObjectRef): Promise<string | undefined> {
  const { status }: RayService = await client.get(resources.rayServices, ref);
  return status?.activeServiceStatus?.rayClusterName || status?.pendingServiceStatus?.rayClusterName;
}
