import type { PlanOutcome } from '@manta/plan';

/** What became of one action that did not go as planned. */
export type Trouble =
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

/** Gathers what went wrong while a plan was carried out. The first failure is the one that is told; waiting is told where nothing failed. */
export class OutcomeRecord {
  readonly #missing = new Set<string>();
  readonly #refusedGroups: string[] = [];
  #failed: Extract<Trouble, { kind: 'failed' }> | undefined;
  #waiting: Extract<Trouble, { kind: 'waiting' }> | undefined;

  /** True when the plan cannot go on. */
  note(trouble: Trouble): boolean {
    if (trouble.kind !== 'waiting' && trouble.missing !== undefined) this.#missing.add(trouble.missing);
    if (trouble.kind === 'optional') return false;
    if (trouble.group !== undefined) this.#refusedGroups.push(trouble.group);
    if (trouble.kind === 'waiting') this.#waiting = sooner(this.#waiting, trouble);
    else this.#failed ??= trouble;
    return trouble.continueOnFailure !== true;
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

type Waiting = Extract<Trouble, { kind: 'waiting' }>;

/** One that does not say how long it takes is looked at soonest. */
function sooner(a: Waiting | undefined, b: Waiting): Waiting {
  return a === undefined || (b.requeueAfterMs ?? 0) < (a.requeueAfterMs ?? 0) ? b : a;
}
