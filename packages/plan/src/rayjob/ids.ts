import { childNames } from '@manta/api';
import { derivedSuffix } from '../raycluster/derived-names.ts';
import type { Subject } from './subject.ts';

/**
 * The names that the next attempt gets. They are derived from what is stored before it begins (the job's uid, how often it failed, when
 * the attempt before started), so that a crash before they are written leads to the same names again.
 */
export function nextIds({ name, uid, status, attempt }: AttemptSeed): {
  readonly cluster: string;
  readonly job: string;
} {
  const seed = [uid, String(status.failed ?? 0), status.startTime ?? '', String(attempt)];
  return {
    cluster: childNames.rayCluster(name, derivedSuffix('cluster', ...seed)),
    job: childNames.rayJobId(name, derivedSuffix('job', ...seed)),
  };
}

export interface AttemptSeed extends Pick<Subject, 'name' | 'uid' | 'status'> {
  /** The number of the attempt, where the server keeps count of them. */
  readonly attempt: number;
}
