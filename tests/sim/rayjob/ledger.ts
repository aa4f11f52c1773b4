import type { Backstage } from '../scenario.ts';
import type { History } from '../history.ts';
import { NAMESPACE, STORED } from './stage.ts';

/** What truly happened in Ray, whatever anybody was told: written down in the store, where promises can be held against it. */
export interface Entry {
  readonly what: 'began' | 'ended';
  /** The submission id. */
  readonly id: string;
  /** The life of the head, by the uid of its pod. */
  readonly head: string;
  /** How it ended. */
  readonly status: string;
}

/** Adds to the ledger. */
export function writeDown({ api, clock }: Backstage, entry: Entry): void {
  const name = `ray-${String(api.store.revision).padStart(6, '0')}`;
  const metadata = {
    name,
    namespace: NAMESPACE,
    uid: `ledger-${name}`,
    creationTimestamp: new Date(clock.now()).toISOString(),
  };
  const key = { resource: STORED.configMaps, namespace: NAMESPACE, name };
  api.store.create(key, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...entry } });
}

/** All entries so far, oldest first. */
export function ledgerOf({ events }: Pick<History, 'events'>): readonly Entry[] {
  return events
    .filter(({ key, type }) => key.resource === STORED.configMaps && type === 'ADDED')
    .map(({ object }) => object['data'] as Entry);
}

/** How a job ended in Ray; undefined while it has not, or where it went with its head. */
export function endOf(history: Pick<History, 'events'>, id: string | undefined): readonly string[] {
  return ledgerOf(history).flatMap((entry) => (entry.what === 'ended' && entry.id === id ? [entry.status] : []));
}
