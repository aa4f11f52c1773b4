import { ownValue } from '@manta/base';
import type { Pod } from '@manta/api';
import type { Stored } from '@manta/controllers';
import type { ContainerExit } from '../pods/container-state.ts';

/** What one run of a container does; a container that restarts runs again. Times are in milliseconds. */
export interface ContainerRun {
  /** Delay from the time it could start until it runs; `never`: it stays waiting. Default 0. */
  readonly startAfterMs?: number | 'never';
  /** The waiting reason until it runs, e.g. `ImagePullBackOff`; default `ContainerCreating`. */
  readonly waiting?: { readonly reason: string; readonly message?: string };
  /** Delay from its start until it is ready; default 0. */
  readonly readyAfterMs?: number | 'never';
  /** When and how it ends; default: it keeps running. */
  readonly exit?: ContainerExit & { readonly afterMs: number };
}

/** A run of a container, as a rule is asked about it. */
export interface RunOf {
  readonly pod: Stored<Pod>;
  readonly container: string;
  /** 0 for the first run, counted up with every restart. */
  readonly attempt: number;
}

/** What happens to some of the pods. */
export interface PodRule {
  /** The pods that it applies to; default all. */
  readonly matches?: (pod: Stored<Pod>) => boolean;
  readonly run?: (run: RunOf) => ContainerRun;
  /** How long its containers take to end when the pod is deleted, its grace period at most; `never`: its node is dead. */
  readonly stopAfterMs?: number | 'never';
}

/** Pods that start at once, are ready at once, and end at once when they are deleted. */
export const HEALTHY: PodRule = {};

/** Picks pods by their labels. */
export function withLabels(labels: Readonly<Record<string, string>>): (pod: Stored<Pod>) => boolean {
  return ({ metadata }) => Object.entries(labels).every(([key, value]) => ownValue(metadata.labels, key) === value);
}
