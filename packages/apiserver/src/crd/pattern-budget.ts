import { API_SERVER_LIMITS } from '@manta/base';
import { compilePattern, patternSteps, testPattern } from './pattern.ts';

/** How many steps the patterns of a schema may still take for one object. */
export interface PatternBudget {
  stepsLeft: number;
}

/** The budget of one object. */
export function newPatternBudget(): PatternBudget {
  return { stepsLeft: API_SERVER_LIMITS.patternSteps };
}

/** Whether a text matches its schema's pattern. An invalid pattern matches everything, because the CRD was accepted; `undefined`: matching takes too long. */
export function matchesWithin(budget: PatternBudget, pattern: string, text: string): boolean | undefined {
  if (compilePattern(pattern) === undefined) return true;
  budget.stepsLeft -= patternSteps(pattern, text);
  return budget.stepsLeft < 0 ? undefined : testPattern(pattern, text);
}
