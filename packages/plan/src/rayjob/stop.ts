import type { Action } from '../plan.ts';
import { isTerminalState } from './pairs.ts';
import type { Subject } from './subject.ts';

/** The command under which a job is stopped. */
export function stopId(jobId: string): string {
  return `stop/${jobId}`;
}

/** Stops the job on its head, where it may still run. */
export function stopJob({ status, cluster }: Subject): readonly Action[] {
  const { jobId = '', dashboardURL, rayClusterName = '', jobStatus } = status;
  if (cluster === undefined || dashboardURL === undefined || isTerminalState(jobStatus)) return [];
  return [{ type: 'ray', id: stopId(jobId), cluster: rayClusterName, command: { kind: 'stop', jobId } }];
}
