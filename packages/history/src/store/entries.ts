/** Kinds whose versions are recorded; pods appear with their ends and logs only. */
export type RayKind = 'RayCluster' | 'RayJob' | 'RayService' | 'RayCronJob';

/** A version of a Ray object, or the deletion of one. */
export interface VersionEntry {
  readonly kind: 'version';
  readonly uid: string;
  readonly object: RayKind;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the controller owner; empty if there is none. */
  readonly owner: string;
  readonly resourceVersion: string;
  readonly at: number;
  /** The redacted object; undefined if it was deleted. */
  readonly document: Readonly<Record<string, unknown>> | undefined;
}

/** A pod of a Ray object: where it belongs and which of its containers have ended. */
export interface PodEntry {
  readonly kind: 'pod';
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The uid of the object that controls it: a RayCluster, or the submitter's Job. */
  readonly owner: string;
  /** The name of the RayJob that a submitter belongs to; empty for other pods. */
  readonly job: string;
  /** `head`, `worker` or `submitter`. */
  readonly nodeType: string;
  readonly group: string;
  readonly node: string;
  readonly createdAt: number;
  readonly deletedAt: number | undefined;
  readonly ends: readonly ContainerEnd[];
}

/** How a container ended. `restart` counts the containers of this name before it. */
export interface ContainerEnd {
  readonly container: string;
  readonly restart: number;
  readonly at: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
}

export interface EventEntry {
  readonly kind: 'event';
  readonly uid: string;
  readonly namespace: string;
  readonly regardingKind: string;
  readonly regardingName: string;
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** The last lines of one container. */
export interface LogEntry {
  readonly kind: 'log';
  readonly podUid: string;
  readonly container: string;
  readonly restart: number;
  readonly at: number;
  readonly text: string;
}

export type HistoryEntry = VersionEntry | PodEntry | EventEntry | LogEntry;
