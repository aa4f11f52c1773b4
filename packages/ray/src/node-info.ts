/** One node of a Ray cluster, as its head sees it. */
export interface RayNode {
  /** Hexadecimal, as Ray's own tools show it. */
  readonly id: string;
  readonly ip: string;
  readonly isHead: boolean;
  readonly isAlive: boolean;
  /** The name that the node was started with; its address when it was given none. */
  readonly name: string;
  /** Why it is dead, where the head knows. */
  readonly stateMessage?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** What runs on a head. */
export interface RayVersion {
  readonly rayVersion: string;
  readonly rayCommit: string;
  /** The GCS session: changes whenever the GCS restarts; empty if Ray is too old to report it. */
  readonly sessionName: string;
}
