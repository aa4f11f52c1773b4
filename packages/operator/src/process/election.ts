import { hostname } from 'node:os';
import { serviceAccountNamespace, systemHost } from '@manta/kube';
import { createLeaderElector, createLeadership, type Leadership, leaderIdentity, type World } from '@manta/runtime';
import type { OperatorOptions } from '../options/options.ts';
import { StartError } from './start-error.ts';

/** KubeRay's lease: while one of the two operators leads, the other waits. */
const LEASE_NAME = 'ray-operator-leader';

/** The namespace of the lease; undefined: leader election is off. */
export async function leaseNamespace(options: OperatorOptions): Promise<string | undefined> {
  if (!options.isLeaderElectionOn) return undefined;
  const namespace = options.leaderElectionNamespace || (await serviceAccountNamespace(systemHost()));
  if (namespace !== undefined) return namespace;
  throw new StartError(
    'leader election needs a namespace for its lease outside a cluster: give --leader-election-namespace, or --enable-leader-election=false for a single operator',
  );
}

/** Takes part in the election over the lease in that namespace. */
export function joinElection(namespace: string, world: World, uuid: string): Leadership {
  const lease = { name: LEASE_NAME, namespace };
  return createLeadership(createLeaderElector({ ...world, lease, identity: leaderIdentity(hostname(), uuid) }));
}
