/** How a container ended. */
export interface ContainerExit {
  readonly code: number;
  /** The reason, e.g. `OOMKilled`; default `Completed` or `Error`, by the exit code. */
  readonly reason?: string;
  readonly message?: string;
}

/** A run that is over. */
export interface Ended extends ContainerExit {
  /** Absent: it never began. */
  readonly startMs?: number;
  readonly endMs: number;
}

/** What a container is at one moment. */
export type ContainerMoment =
  | { readonly state: 'waiting'; readonly reason: string; readonly message?: string; readonly nextMs?: number }
  | {
      readonly state: 'running';
      readonly startMs: number;
      readonly isReady: boolean;
      /** Whether its startup probe has succeeded; default true. */
      readonly isStarted?: boolean;
      readonly nextMs?: number;
    }
  | ({ readonly state: 'ended' } & Ended);

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/** Whether a container that ended so is started again. */
export function restarts(policy: RestartPolicy, code: number): boolean {
  return policy === 'Always' || (policy === 'OnFailure' && code !== 0);
}
