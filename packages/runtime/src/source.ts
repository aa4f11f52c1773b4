import type { OwnerReference } from '@manta/api';
import type { Informer, InformerChange } from './informer.ts';
import { namespaceOf, type ObjectKey, toKey } from './object-key.ts';
import { PRIORITY, type Priority } from './priority-lanes.ts';

/** Where a controller's keys come from. */
export interface Source {
  readonly informer: Informer;
  /** Calls `enqueue` for what is there and for what changes from now on; returns its own undo. */
  attach(enqueue: (key: ObjectKey, priority: Priority) => void): () => void;
}

/** Which keys a change concerns. Called with the record before and after, so that a moved object reaches both its owners. */
export type KeysOf<R> = (record: R, key: ObjectKey) => Iterable<ObjectKey>;

/** Whether a change matters at all. */
export type Predicate<R> = (change: InformerChange<R>) => boolean;

export interface SourceOptions<R> {
  /** Default: the changed object's own key. */
  readonly keys?: KeysOf<R>;
  /** Default: every change matters. */
  readonly when?: Predicate<R>;
  /** Default: low for what was there at the start, normal for what happens later. */
  readonly priority?: (change: InformerChange<R>) => Priority;
}

/** Keys from the changes of an informer. */
export function fromInformer<R, I extends string>(informer: Informer<R, I>, options: SourceOptions<R> = {}): Source {
  const { keys = itself, when = always, priority = usualPriority } = options;
  return {
    informer,
    attach(enqueue) {
      const handle = (change: InformerChange<R>) => {
        if (!when(change)) return;
        const urgency = priority(change);
        for (const key of concerned(change, keys)) enqueue(key, urgency);
      };
      const detach = informer.onChange(handle);
      for (const key of informer.keys()) {
        const after = informer.get(key);
        if (after !== undefined) handle({ key, after, isInitial: true });
      }
      return detach;
    },
  };
}

/** The object's own key. */
export function itself(_record: unknown, key: ObjectKey): Iterable<ObjectKey> {
  return [key];
}

/** The key of the controller that owns the object, where it is of this kind. */
export function owner<R>(
  of: { readonly group: string; readonly kind: string },
  ownersOf: (record: R) => readonly OwnerReference[] | undefined,
): KeysOf<R> {
  return (record, key) => {
    const found = ownersOf(record)?.find((reference) => reference.controller === true);
    if (found === undefined || found.kind !== of.kind || groupOf(found.apiVersion) !== of.group) return [];
    return [toKey(namespaceOf(key), found.name)];
  };
}

/** The key named by a label's value, in the object's own namespace. */
export function named<R>(
  label: string,
  labelsOf: (record: R) => Readonly<Record<string, string>> | undefined,
): KeysOf<R> {
  return (record, key) => {
    const name = labelsOf(record)?.[label];
    return name === undefined || name === '' ? [] : [toKey(namespaceOf(key), name)];
  };
}

/** Additions, removals, and changes that `of` shows: `changes((pod) => pod.phase)`. */
export function changes<R>(of: (record: R) => unknown): Predicate<R> {
  return ({ before, after }) => before === undefined || after === undefined || !isSame(of(before), of(after));
}

/** True when any of the predicates is. */
export function anyOf<R>(...predicates: readonly Predicate<R>[]): Predicate<R> {
  return (change) => predicates.some((predicate) => predicate(change));
}

/** True when all of the predicates are. */
export function allOf<R>(...predicates: readonly Predicate<R>[]): Predicate<R> {
  return (change) => predicates.every((predicate) => predicate(change));
}

/**
 * High for users' changes (a new generation, a new object, a deletion), so that they precede status updates; and, at the start, for
 * objects that no operator has reconciled yet.
 */
export function urgentWhen<R>(
  isUrgent: Predicate<R>,
  isUrgentAtStart: Predicate<R> = () => false,
): (change: InformerChange<R>) => Priority {
  return (change) =>
    (change.isInitial ? isUrgentAtStart(change) : isUrgent(change)) ? PRIORITY.high : usualPriority(change);
}

function usualPriority({ isInitial }: InformerChange<unknown>): Priority {
  return isInitial ? PRIORITY.low : PRIORITY.normal;
}

function always(): boolean {
  return true;
}

function concerned<R>({ key, before, after }: InformerChange<R>, keysOf: KeysOf<R>): ReadonlySet<ObjectKey> {
  const keys = new Set<ObjectKey>();
  for (const record of [before, after]) {
    if (record === undefined) continue;
    for (const found of keysOf(record, key)) keys.add(found);
  }
  return keys;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
