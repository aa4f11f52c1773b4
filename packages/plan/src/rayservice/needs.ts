import type { ServiceMemory } from './memory.ts';
import type { ObservedRayService } from './observed.ts';

/** What else has to be read before `planRayService` can decide: the last answers of the heads in use. */
export interface RayServiceNeeds {
  /** Cached objects are recent enough: the status names every cluster, and no cluster is created before its name is recorded. */
  readonly live: false;
  /** A question for each cluster that is active or pending; no other head is asked. */
  readonly questions: readonly HeadQuestion[];
}

/** A question for the Ray head of one cluster, about its Serve applications and its Serve proxy. */
export interface HeadQuestion {
  /** The name of the RayCluster. */
  readonly cluster: string;
  /**
   * When this run of the head accepted a Serve configuration: older answers about its applications say nothing. Applies only to a head with
   * this session.
   */
  readonly accepted?: { readonly session: string; readonly at: number } | undefined;
}

/** The clusters that the status names as active or pending. */
export function rayServiceNeeds({ service, clusters }: ObservedRayService, memory: ServiceMemory): RayServiceNeeds {
  const { activeServiceStatus, pendingServiceStatus } = service.status ?? {};
  const inUse = [activeServiceStatus?.rayClusterName, pendingServiceStatus?.rayClusterName];
  const questions = clusters.flatMap(({ cluster }) => {
    const { name = '' } = cluster.metadata ?? {};
    return inUse.includes(name) ? [questionFor(name, memory)] : [];
  });
  return { live: false, questions };
}

function questionFor(cluster: string, { heads }: ServiceMemory): HeadQuestion {
  const known = heads[cluster];
  if (known?.accepted === undefined) return { cluster };
  return { cluster, accepted: { session: known.session, at: known.accepted.at } };
}
