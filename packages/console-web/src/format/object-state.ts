import type { RayCluster, RayJob, RayService } from '@manta/api';
import type { RayKind } from '../live/api.ts';
import type { KindTypes } from '../live/store.ts';

/** A state for people: a word, how it is drawn, and the icon that says the same without colour. */
export interface ObjectState {
  readonly word: string;
  readonly tone: 'ok' | 'bad' | 'run' | 'warn' | 'idle';
}

export const ICONS: Readonly<Record<ObjectState['tone'], string>> = {
  ok: '✓',
  bad: '✕',
  run: '▸',
  warn: '!',
  idle: '–',
};

const JOB: Readonly<Record<string, ObjectState>> = {
  Complete: { word: 'Succeeded', tone: 'ok' },
  Failed: { word: 'Failed', tone: 'bad' },
  Running: { word: 'Running', tone: 'run' },
  Initializing: { word: 'Starting', tone: 'run' },
  Waiting: { word: 'Waiting', tone: 'warn' },
  Suspended: { word: 'Suspended', tone: 'idle' },
  Suspending: { word: 'Suspending', tone: 'idle' },
  Retrying: { word: 'Retrying', tone: 'warn' },
  ValidationFailed: { word: 'Invalid', tone: 'bad' },
};

const STATES: { readonly [K in RayKind]: (object: KindTypes[K]) => ObjectState } = {
  RayJob: jobState,
  RayCluster: clusterState,
  RayService: serviceState,
  RayCronJob: ({ spec }) =>
    spec?.suspend === true ? { word: 'Suspended', tone: 'idle' } : { word: 'Scheduled', tone: 'ok' },
};

/** What an object is doing, in one word. */
export function stateOf<K extends RayKind>(kind: K, object: KindTypes[K]): ObjectState {
  return STATES[kind](object);
}

/** Whether a RayJob has ended for good: it runs again only as another object. */
export function isRayJobEnded({ status }: KindTypes[RayKind]): boolean {
  const word = status !== undefined && 'jobDeploymentStatus' in status ? status.jobDeploymentStatus : undefined;
  return word === 'Complete' || word === 'Failed' || word === 'ValidationFailed';
}

function jobState({ status }: RayJob): ObjectState {
  const word = status?.jobDeploymentStatus ?? '';
  return JOB[word] ?? { word: word === '' ? 'New' : word, tone: 'run' };
}

function clusterState({ metadata, status }: RayCluster): ObjectState {
  if (metadata?.deletionTimestamp !== undefined) return { word: 'Deleting', tone: 'idle' };
  if (status?.state === 'ready') return { word: 'Ready', tone: 'ok' };
  if (status?.state === 'suspended') return { word: 'Suspended', tone: 'idle' };
  if (status?.state === 'failed') return { word: 'Failed', tone: 'bad' };
  return { word: 'Starting', tone: 'run' };
}

function serviceState({ spec, status }: RayService): ObjectState {
  const is = (type: string) =>
    status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
  if (is('UpgradeInProgress')) return { word: 'Upgrading', tone: 'run' };
  if (is('Ready')) return { word: 'Ready', tone: 'ok' };
  if (spec?.suspend === true) return { word: 'Suspended', tone: 'idle' };
  return { word: 'Not ready', tone: 'warn' };
}
