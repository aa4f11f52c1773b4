import type { RayCallError } from './call-error.ts';
import type { JobRequest } from './job-info.ts';

/** Commands to a head. */
export type Command =
  /** A job that the head already has under this id counts as submitted. */
  | { readonly kind: 'submit'; readonly request: JobRequest }
  /** Done when the head stopped it, or when it had ended or was never there. */
  | { readonly kind: 'stop'; readonly id: string }
  /** Done when the head no longer knows the job. */
  | { readonly kind: 'delete'; readonly id: string }
  /** The whole Serve configuration, as the head's API takes it. */
  | { readonly kind: 'put-serve'; readonly config: Readonly<Record<string, unknown>> };

/** What a command that was done came to. */
export type CommandOutcome =
  | { readonly kind: 'submit'; readonly submissionId: string; readonly alreadyExisted: boolean }
  /** `wasRunning`: whether there was anything to stop. */
  | { readonly kind: 'stop'; readonly wasRunning: boolean }
  | { readonly kind: 'delete'; readonly existed: boolean }
  | { readonly kind: 'put-serve' };

/** How far a command got. `session` is the life of the head that it was given to. */
export type CommandResult = {
  readonly id: string;
  readonly command: Command;
  readonly session: string;
  /** When it was asked for. */
  readonly startedAt: number;
} & (
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly at: number; readonly outcome: CommandOutcome }
  /** Tried once, never retried automatically; `error.didNothing` is true if the head cannot have acted. */
  | { readonly state: 'failed'; readonly at: number; readonly error: RayCallError }
);
