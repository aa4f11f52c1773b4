import type { RayKind } from '../store/entries.ts';

/** An object in a list of history. Times are ISO texts. */
export interface HistoryListItem {
  readonly kind: RayKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: string;
  /** Undefined while the object exists. */
  readonly deletedAt?: string;
  /** Its last state in one word, as `kubectl get` shows it. */
  readonly state: string;
  readonly message: string;
}

export interface HistoryList {
  readonly items: readonly HistoryListItem[];
  /** Entries that could not be kept, by kind; empty if the history is complete. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** A part of an object's life, e.g. `Initializing`. The last one of an object that exists has no end. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly to?: string;
}

/** A version of an object, reduced to what changed. */
export interface StoryChange {
  readonly at: string;
  /** The changed fields as a JSON merge patch; undefined for the first version. */
  readonly patch?: Readonly<Record<string, unknown>>;
}

export interface StoryEvent {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
  readonly count: number;
}

export interface StoryPod {
  readonly name: string;
  readonly uid: string;
  /** `head`, `worker` or `submitter`. */
  readonly nodeType: string;
  readonly group: string;
  readonly node: string;
  readonly createdAt: string;
  readonly deletedAt?: string;
  readonly ends: readonly {
    readonly container: string;
    readonly restart: number;
    readonly at: string;
    readonly exitCode: number;
    readonly reason: string;
    readonly message: string;
  }[];
  /** Containers whose last lines were kept. */
  readonly logs: readonly { readonly container: string; readonly restart: number; readonly lines: number }[];
}

/** Everything that is known of one object. */
export interface ObjectStory {
  readonly object: HistoryListItem;
  /** Other objects that had the same name, the latest first. */
  readonly others: readonly HistoryListItem[];
  readonly stages: readonly Stage[];
  readonly changes: readonly StoryChange[];
  /** Of the object, its clusters and its pods, oldest first. */
  readonly events: readonly StoryEvent[];
  /** The clusters of a RayJob or RayService. */
  readonly clusters: readonly HistoryListItem[];
  readonly pods: readonly StoryPod[];
  /** The object's last version, with values of environment variables redacted. */
  readonly document: Readonly<Record<string, unknown>>;
}
