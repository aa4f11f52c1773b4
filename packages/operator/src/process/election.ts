import { hostname } from 'node:os';
import { serviceAccountNamespace, systemHost } from '@manta/kube';
import { createLeaderElector, leaderIdentity, type Leadership, type World } from '@manta/runtime';
import type { OperatorOptions } from '../options/options.ts';
import { electedLeadership, LEASE_NAME } from './leadership.ts';
import { StartError } from './start-error.ts';

/** Joins the election where it is on; undefined where we lead anyway. */
export async function joinElection(
  options: OperatorOptions,
  world: World,
  uuid: string,
): Promise<Leadership | undefined> {
  if (!options.isLeaderElectionOn) return undefined;
  const namespace = options.leaderElectionNamespace || (await serviceAccountNamespace(systemHost()));
  if (namespace === undefined) {
    throw new StartError(
      'leader election needs a namespace for its lease outside a cluster: give --leader-election-namespace, or --enable-leader-election=false for a single operator',
    );
  }
  const lease = { name: LEASE_NAME, namespace };
  return electedLeadership(createLeaderElector({ ...world, lease, identity: leaderIdentity(hostname(), uuid) }));
}
