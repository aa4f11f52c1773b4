import type { Socket } from 'node:net';
import type { PodBackend } from '@manta/apiserver';
import type { Cluster } from '@manta/controllers';

/** What the API server's process gives to the program that runs pods. */
export interface PodsContext {
  readonly cluster: Cluster;
  /** Takes a pod's connection to the API server. */
  readonly accept: (socket: Socket) => void;
}

/** Pods that run. */
export interface RunningPods {
  readonly backend: PodBackend;
  /** Ends their processes; their objects stay. */
  stop(): Promise<void>;
}
