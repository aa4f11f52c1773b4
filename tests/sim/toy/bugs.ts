/** Mistakes that controllers are known for, one of which is put back into the toy controller at a time. */
export const BUGS = {
  'stale-cache': 'acts on a cache that has not seen its own last writes',
  'lost-expectation': 'of several writes remembers only the first',
  'random-names': 'makes up a new name for each try, so that a repeated create makes a second child',
  'counts-terminating': 'takes children that are on their way out for living ones',
  'swallows-conflicts': 'takes a refused status update for a done one',
  overwrites: 'writes the whole object back as its cache has it',
  'forgets-deletions': 'does not hear of children that go',
} as const;

export type Bug = keyof typeof BUGS;
