import { expect as assertion } from 'vitest';

/** Vitest's `expect`, for cases: they are written outside of a test block and run inside of one. */
export const expect: typeof assertion = assertion;
