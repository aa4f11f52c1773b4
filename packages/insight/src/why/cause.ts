import type { ObjectRef, RayRef, World } from '../world.ts';
import type { CauseCode } from './codes.ts';

/** The one thing that blocks an object. */
export interface Cause {
  readonly code: CauseCode;
  /** The object to look at; often a pod or a Job far below the Ray object. */
  readonly object: ObjectRef;
  /** One sentence with the names and numbers of this case. */
  readonly sentence: string;
  /** Where it was read, so that a reader can check it. */
  readonly evidence: readonly Evidence[];
  /** The last lines of output that belong to it. */
  readonly lines?: readonly string[];
  /** What to do about it: one imperative sentence. */
  readonly action: string;
  /** Nothing is wrong: it takes time, and no action is needed now. */
  readonly isProgress?: boolean;
}

/** One observation: which field or event of which object, and its words. */
export interface Evidence {
  readonly object: ObjectRef;
  /** A field path, or `event REASON`. */
  readonly source: string;
  readonly text: string;
}

/** One step from the object that was asked about down to the cause. */
export interface Link {
  readonly object: ObjectRef;
  readonly says: string;
}

/** `progressing`: on its way and nothing is known to block it. `gone`: there is no such object. */
export type Health = 'healthy' | 'progressing' | 'unhealthy' | 'gone';

/** Why an object is in the state it is in. */
export interface Why {
  readonly ref: RayRef;
  readonly health: Health;
  /** From the object down to the one that has the cause; empty if it is healthy. */
  readonly chain: readonly Link[];
  /** Absent if the object is healthy. */
  readonly cause?: Cause;
  /** Other problems of the same object, with other codes. */
  readonly others: readonly Cause[];
  /** Rights that the reader lacks; the answer may be less exact without them. */
  readonly missingRights: readonly string[];
}

/** What a level found: the way down, and what is at its end. */
export interface Found {
  readonly links: readonly Link[];
  readonly cause: Cause;
}

/** Looks for one group of causes; undefined if none of them applies. */
export type Detector<T> = (subject: T, world: World) => Cause | undefined;

/** The first cause in the order of the list. */
export function firstCause<T>(detectors: readonly Detector<T>[], subject: T, world: World): Cause | undefined {
  for (const detect of detectors) {
    const cause = detect(subject, world);
    if (cause !== undefined) return cause;
  }
  return undefined;
}

/** The first line of a text, without its end mark and at most this long. */
export function brief(text: string | undefined, limit = 240): string {
  const line = (text ?? '').trim().split(/\r?\n/)[0]?.trim() ?? '';
  const cut = line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
  return cut.replace(/[.:;,]$/, '');
}
