import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../tools/generate/reference/pages.ts';

const folder = resolve(import.meta.dirname, '../../docs/reference');

describe.each([...referencePages()])('docs/reference/%s', (file, expected) => {
  it('matches the schema: run `npm run reference` after a change', () => {
    expect(readFileSync(resolve(folder, file), 'utf8')).toBe(expected);
  });

  it('describes every field', () => {
    const fields = expected.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length > 5);
    expect(fields.length).toBeGreaterThan(8);
    expect(fields.filter((line) => /\|\s*\|$/.test(line))).toEqual([]);
  });
});

describe('the reference pages', () => {
  const rayJob = referencePages().get('rayjob.md') ?? '';

  it('link to the RayCluster spec instead of repeating it', () => {
    expect(rayJob).toContain('| `rayClusterSpec` | [RayCluster spec](raycluster.md#spec) |');
    expect(rayJob).not.toContain('rayClusterSpec.headGroupSpec');
  });

  it('show defaults, allowed values and required fields', () => {
    expect(rayJob).toContain('| `submissionMode` | string | `"K8sJobMode"` |');
    expect(rayJob).toContain('One of `SUCCEEDED`, `FAILED`.');
    expect(rayJob).toMatch(/deletionRules\[\]\.policy` \| string \| {2}\| \*\*Required\.\*\*/);
  });
});
