import type { StringMap } from '@manta/api';

/** Flags of `run`. */
export interface RunFlags {
  readonly name?: string;
  readonly on?: string;
  readonly retries: number;
  readonly workers?: number;
  readonly gpus: string;
  readonly image: string;
  readonly rayVersion: string;
  readonly env?: StringMap;
  readonly pip?: readonly string[];
  readonly headCpu: string;
  readonly headMemory: string;
  readonly workerCpu: string;
  readonly workerMemory: string;
  readonly ttl: number;
  readonly address?: string;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
}

/** How the package reaches Ray: in a Secret that all pods mount, or by an upload to the head. */
export type Delivery = 'secret' | 'upload';
