import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withSession } from './session-text.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/local.md'), 'utf8');

describe('a recorded session', () => {
  it('takes the place of the one before it, and nothing else of the page', () => {
    const once = withSession(page, 'npm start', 'one recording');
    const twice = withSession(once, 'npm start', ' another recording\n');
    expect(twice).toContain('```console\n$ npm start\nanother recording\n```');
    expect(twice).not.toContain('one recording');
    expect(withSession(twice, 'npm start', 'one recording')).toBe(once);
  });

  it('needs a place', () => {
    expect(() => withSession('# Nothing here', 'npm start', '')).toThrow('the page has no place for a session');
  });
});
