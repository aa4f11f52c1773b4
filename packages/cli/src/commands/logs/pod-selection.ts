import { Label, type Pod } from '@manta/api';
import { isForbidden, isNotFound, type KubeClient, resources } from '@manta/kube';
import { RAY_TYPES, type Target } from '../../target.ts';
import type { LogsFlags } from './logs-flags.ts';

/** Decides which pods belong to the object that the user named, also for clusters that are created later. */
export class PodSelection {
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #target: Target | undefined;
  readonly #flags: Pick<LogsFlags, 'nodeType' | 'group'>;
  /** Whether a cluster belongs to the target, by name. */
  readonly #clusters = new Map<string, boolean>();

  constructor(
    client: KubeClient,
    namespace: string,
    target: Target | undefined,
    flags: Pick<LogsFlags, 'nodeType' | 'group'>,
  ) {
    this.#client = client;
    this.#namespace = namespace;
    this.#target = target;
    this.#flags = flags;
    if (target?.kind === 'raycluster') this.#clusters.set(target.name, true);
  }

  async has({ metadata }: Pod): Promise<boolean> {
    const labels = metadata?.labels ?? {};
    const { nodeType, group } = this.#flags;
    if (nodeType !== 'all' && labels[Label.NodeType] !== nodeType) return false;
    if (group !== undefined && labels[Label.Group] !== group) return false;
    const cluster = labels[Label.Cluster];
    if (this.#isOwn(labels)) return true;
    return cluster !== undefined && (await this.#hasCluster(cluster));
  }

  /** A submitter pod carries the name of its RayJob. */
  #isOwn(labels: Readonly<Record<string, string>>): boolean {
    const name = labels[Label.OriginatedFromCrName];
    if (this.#target === undefined) return name !== undefined;
    return name === this.#target.name && labels[Label.OriginatedFromCrd] === RAY_TYPES[this.#target.kind].kind;
  }

  async #hasCluster(name: string): Promise<boolean> {
    const target = this.#target;
    if (target === undefined) return true;
    const known = this.#clusters.get(name);
    if (known !== undefined) return known;
    const belongs = await this.#belongs(name, target);
    this.#clusters.set(name, belongs);
    return belongs;
  }

  async #belongs(clusterName: string, target: Target): Promise<boolean> {
    if (target.kind === 'raycluster') return clusterName === target.name;
    const type = resources.rayClusters;
    try {
      const ref = { namespace: this.#namespace, name: clusterName };
      const { metadata } = await this.#client.get(type, ref, { content: 'metadata' });
      const labels = metadata?.labels ?? {};
      const isOfTarget =
        labels[Label.OriginatedFromCrName] === target.name &&
        labels[Label.OriginatedFromCrd] === RAY_TYPES[target.kind].kind;
      return isOfTarget || (await this.#selects(clusterName, target));
    } catch (error) {
      if (isNotFound(error)) return false;
      // Without the right to read clusters, the operator's naming scheme has to do.
      if (isForbidden(error)) return clusterName.startsWith(`${target.name}-`);
      throw error;
    }
  }

  /** Whether a RayJob runs on this cluster through its `clusterSelector`. */
  async #selects(clusterName: string, { kind, name }: Target): Promise<boolean> {
    if (kind !== 'rayjob') return false;
    const { spec } = await this.#client.get(resources.rayJobs, { namespace: this.#namespace, name });
    return spec?.clusterSelector?.[Label.Cluster] === clusterName;
  }
}
