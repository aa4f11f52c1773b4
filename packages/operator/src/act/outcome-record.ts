import type { PlanOutcome } from '@manta/plan';

/** How one action failed. */
export type Problem =
  | { readonly kind: 'optional'; readonly missing: string | undefined }
  | {
      readonly kind: 'waiting';
      readonly message: string;
      readonly requeueAfterMs?: number;
      readonly continueOnFailure?: boolean | undefined;
      readonly group?: string | undefined;
    }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly failure?: string | undefined;
      readonly continueOnFailure?: boolean | undefined;
      readonly group?: string | undefined;
      readonly missing?: string | undefined;
    };

/** Collects the problems of a plan. The outcome reports the first failure or, without a failure, the shortest wait. */
export class OutcomeRecord {
  readonly #missing = new Set<string>();
  readonly #refusedGroups: string[] = [];
  #failed: Extract<Problem, { kind: 'failed' }> | undefined;
  #waiting: Extract<Problem, { kind: 'waiting' }> | undefined;

  /** True when the plan cannot continue. */
  note(problem: Problem): boolean {
    if (problem.kind !== 'waiting' && problem.missing !== undefined) this.#missing.add(problem.missing);
    if (problem.kind === 'optional') return false;
    if (problem.group !== undefined) this.#refusedGroups.push(problem.group);
    if (problem.kind === 'waiting') this.#waiting = sooner(this.#waiting, problem);
    else this.#failed ??= problem;
    return problem.continueOnFailure !== true;
  }

  outcome(): PlanOutcome {
    const missing = this.#missing.size === 0 ? {} : { missingPermissions: [...this.#missing].toSorted() };
    const groups = this.#refusedGroups.length === 0 ? {} : { refusedGroups: this.#refusedGroups };
    if (this.#failed !== undefined) {
      const { message, failure } = this.#failed;
      return { kind: 'failed', message, failure, ...groups, ...missing };
    }
    if (this.#waiting === undefined) return { kind: 'done', ...missing };
    const { message, requeueAfterMs } = this.#waiting;
    return {
      kind: 'waiting',
      message,
      ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
      ...groups,
      ...missing,
    };
  }
}

type Waiting = Extract<Problem, { kind: 'waiting' }>;

/** A wait of unknown length counts as the shortest. */
function sooner(a: Waiting | undefined, b: Waiting): Waiting {
  return a === undefined || (b.requeueAfterMs ?? 0) < (a.requeueAfterMs ?? 0) ? b : a;
}
