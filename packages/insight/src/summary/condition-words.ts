import { type Condition, humanDuration } from '@manta/api';
import { timeMs } from '../lookup.ts';

const WORDS: Readonly<Record<string, readonly [whenTrue: string, whenFalse: string]>> = {
  RayClusterProvisioned: ['all pods have been ready', 'pods have not all been ready yet'],
  HeadPodReady: ['the head is ready', 'the head is not ready'],
  ReplicaFailure: ['pods cannot be created or deleted', ''],
  RayClusterSuspending: ['is being suspended', ''],
  RayClusterSuspended: ['is suspended', ''],
  WorkersRejoined: ['all workers have joined the head', 'workers have not joined the new head'],
  PermissionMissing: ['the operator lacks a right', ''],
  Ready: ['serves requests', 'does not serve requests'],
  UpgradeInProgress: ['an upgrade is in progress', ''],
  RollbackInProgress: ['an upgrade is being rolled back', ''],
  Suspending: ['is being suspended', ''],
  Suspended: ['is suspended', ''],
};

/** Conditions as sentences with their age. A condition that says that nothing special happens is left out. */
export function conditionWords(conditions: readonly Condition[], now: number): readonly string[] {
  return conditions.flatMap(({ type, status, message, lastTransitionTime }) => {
    const known = WORDS[type];
    const words = known === undefined ? `${type} is ${status}` : status === 'True' ? known[0] : known[1];
    if (words === '') return [];
    const since = timeMs(lastTransitionTime);
    const age = since === undefined ? '' : ` (for ${humanDuration(now - since)})`;
    const isPlain = status === 'True' || message === '' || message === type;
    return [`${words}${age}${isPlain ? '' : `: ${message.split('\n')[0]}`}`];
  });
}
