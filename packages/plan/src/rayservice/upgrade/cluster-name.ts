import { childNames } from '@manta/api';
import { derivedSuffix } from '../../raycluster/derived-names.ts';
import { nameOf, type ServiceState } from '../service-state.ts';

/**
 * The name of the next cluster. It looks random and is derived: the same service in the same situation gives the same name again, so that
 * repeating the decision cannot make a second cluster. No cluster that is known has it.
 */
export function nextClusterName(state: ServiceState): string {
  const { name, uid, service, active, pending, clusters } = state;
  const taken = new Set([active.name, pending.name, ...clusters.map(nameOf)]);
  const situation = [...taken].toSorted().join(' ');
  for (let attempt = 0; ; attempt += 1) {
    const seed = [uid, String(service.metadata?.generation ?? 0), situation, String(attempt)];
    const next = childNames.rayCluster(name, derivedSuffix(...seed));
    if (!taken.has(next)) return next;
  }
}
