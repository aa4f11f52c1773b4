import type { PodStatus } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { Backstage } from '../scenario.ts';
import type { History } from '../history.ts';
import { isGoing, NAMESPACE, STORED } from './stage.ts';

/** What truly happened in Ray, whatever anybody was told: written down in the store, where promises can be held against it. */
export interface Entry {
  readonly what: 'began' | 'ended';
  /** The submission id. */
  readonly id: string;
  /** The life of the head: the uid of its pod, and which one within it. */
  readonly head: string;
  /** How it ended. */
  readonly status: string;
}

const PREFIX = 'ray-';

/** Adds to the ledger. */
export function writeDown({ api, clock }: Backstage, entry: Entry): void {
  const name = `${PREFIX}${String(api.store.revision).padStart(6, '0')}`;
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
    .filter(({ key, type }) => key.resource === STORED.configMaps && type === 'ADDED' && key.name.startsWith(PREFIX))
    .map(({ object }) => object['data'] as Entry);
}

/** How a job ended in Ray; undefined while it has not, or where it went with its head. */
export function endOf(history: Pick<History, 'events'>, id: string | undefined): readonly string[] {
  return ledgerOf(history).flatMap((entry) => (entry.what === 'ended' && entry.id === id ? [entry.status] : []));
}

/** Which life of Ray a head pod holds: it begins anew with each restart of its container. */
export function lifeOf({ metadata: { uid }, ...pod }: StoredObject): string {
  return `${uid}/${restartsOf(pod)}`;
}

/** How often Ray was restarted within its pod. */
export function restartsOf(pod: Readonly<Record<string, unknown>>): number {
  const { status } = pod as { readonly status?: Pick<PodStatus, 'containerStatuses'> };
  return status?.containerStatuses?.find(({ name }) => name === RAY_CONTAINER)?.restartCount ?? 0;
}

/** The container that Ray runs in, in heads of this simulation. */
export const RAY_CONTAINER = 'ray-head';

/** Whether that life still goes on. */
export function isAlive(history: Pick<History, 'list'>, life: string): boolean {
  return history.list(STORED.pods).some((pod) => lifeOf(pod) === life && !isGoing(pod));
}
