import type { Api } from '@manta/apiserver';
import type { Clock, KubeClient } from '@manta/kube';
import type { World } from '@manta/runtime';
import type { Choices } from './choices.ts';
import type { FaultName } from './faults.ts';
import type { History, Invariant } from './history.ts';

/** A program under test: what it does from its start to its end, with nothing but its world. Every restart calls it again. */
export interface Program {
  readonly name: string;
  run(world: World, stop: AbortSignal, outside: Outside): Promise<void>;
}

/** What a program reaches besides the API server, where a scenario has such a thing. */
export interface Outside {
  readonly backstage: Backstage;
  /** A question that travels like any message, and what it is answered with when it arrives. Both are lost with the process. */
  readonly exchange: <T>(label: string, answer: () => T) => Promise<T>;
  /** The process dies here and now, unless calm has returned; another life of it begins later. Whether it did. */
  readonly crash: () => boolean;
}

/** The server's side, for what is not under test: no messages, no faults. */
export interface Backstage {
  readonly api: Api;
  /** Acts at once. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly choices: Choices;
}

/** Something that a user does now and then. */
export type Move = (backstage: Backstage) => Promise<void>;

/** A world, a program in it, and what must be true. */
export interface Scenario {
  readonly name: string;
  readonly program: Program;
  /** Sets the stage before anything runs: namespaces, definitions, first objects. */
  readonly prepare: Move;
  /** Starts what works reliably around the program: a kubelet, a garbage collector. */
  readonly environment?: (backstage: Backstage) => void;
  readonly moves: Readonly<Record<string, Move>>;
  /** Which faults may happen; all unless told. */
  readonly faults?: readonly FaultName[];
  /** By the sentence that each promises. */
  readonly invariants: Readonly<Record<string, Invariant>>;
  /** What is still missing once the world has been left alone; nothing when all is as desired. */
  readonly goal: (history: History) => string | undefined;
  /** Kinds that may still be written when nothing moves any more, such as the last count of repeated Events. None unless told. */
  readonly isAfterthought?: (plural: string) => boolean;
  /** How long it may take to get there. Default: 20 minutes, since a key that has failed often comes back after 1000 s. */
  readonly settleMs?: number;
}
