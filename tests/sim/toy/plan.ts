import type { Bug } from './bugs.ts';

/** What is known of a toy. */
export interface ToyRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly replicas: number;
  readonly statusReplicas: number | undefined;
}

/** What is known of a child. */
export interface ChildRecord {
  readonly name: string;
  readonly uid: string;
  readonly toy: string;
  readonly isTerminating: boolean;
}

/** What to do about a toy. */
export interface ToyPlan {
  readonly create: readonly string[];
  readonly remove: readonly ChildRecord[];
  /** Undefined when the status is right. */
  readonly status: number | undefined;
}

/**
 * Names are derived: a child gets the smallest number that no child has, terminating ones included. The last in order go first. The
 * same picture gives the same plan, so that repeating one does no harm.
 */
export function planToy(
  toy: ToyRecord,
  children: readonly ChildRecord[],
  bug: Bug | undefined,
  random: () => number,
): ToyPlan {
  const living = children.filter(({ isTerminating }) => !isTerminating).toSorted((a, b) => numberOf(a) - numberOf(b));
  const counted = bug === 'counts-terminating' ? children.length : living.length;
  const missing = Math.max(0, toy.replicas - counted);
  const surplus = Math.max(0, counted - toy.replicas);
  return {
    create: bug === 'random-names' ? randomNames(toy, missing, random) : freeNames(toy, children, missing),
    remove: surplus === 0 ? [] : living.slice(-surplus),
    status: toy.statusReplicas === living.length ? undefined : living.length,
  };
}

function freeNames(toy: ToyRecord, children: readonly ChildRecord[], count: number): readonly string[] {
  const taken = new Set(children.map(({ name }) => name));
  const names: string[] = [];
  for (let number = 0; names.length < count; number += 1) {
    const name = `${toy.name}-${number}`;
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

function randomNames(toy: ToyRecord, count: number, random: () => number): readonly string[] {
  return Array.from({ length: count }, () => `${toy.name}-${Math.floor(random() * 1e9)}`);
}

function numberOf({ name }: ChildRecord): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
