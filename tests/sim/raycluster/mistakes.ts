import type { Making } from './making.ts';
import { SEEING } from './mistakes-seeing.ts';
import { WRITING } from './mistakes-writing.ts';

/** Mistakes that operators are known for, one of which is put into this one at a time. */
export const MISTAKES = { ...WRITING, ...SEEING } as const;

export type Mistake = keyof typeof MISTAKES;

/** How an operator is brought to make it. */
export function makingOf(mistake: Mistake | undefined): Omit<Making, 'says'> {
  return mistake === undefined ? {} : MISTAKES[mistake];
}
