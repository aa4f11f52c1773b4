import { NodeType } from '@manta/api';
import type { PodRecord } from './observed.ts';

/** What decisions need of a node in Ray's own list. */
export interface RayNodeRecord {
  readonly ip: string;
  readonly isHead: boolean;
  readonly isAlive: boolean;
}

/** The living nodes besides the head, by their addresses. */
export function livingWorkers(nodes: readonly RayNodeRecord[]): ReadonlySet<string> {
  return new Set(nodes.filter(({ isAlive, isHead, ip }) => isAlive && !isHead && ip !== '').map(({ ip }) => ip));
}

/** Workers that run and stay. */
export function runningWorkers(pods: readonly PodRecord[]): readonly PodRecord[] {
  return pods.filter(
    (pod) => pod.nodeType === NodeType.Worker && pod.phase === 'Running' && !pod.isTerminating && pod.podIP !== '',
  );
}
