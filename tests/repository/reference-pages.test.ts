import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS, THERE_WHEN_NEEDED } from '../real/metric-names.ts';
import { kindPages, referencePages } from '../../tools/generate/reference/pages.ts';

const folder = resolve(import.meta.dirname, '../../docs/reference');

describe.each([...referencePages()])('docs/reference/%s', (file, expected) => {
  it('matches the code: run `npm run reference` after a change', () => {
    expect(readFileSync(resolve(folder, file), 'utf8')).toBe(expected);
  });

  it('leaves no cell of a row empty but defaults', () => {
    const rows = expected.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(4);
    expect(rows.filter((line) => /\|\s*\|$/.test(line))).toEqual([]);
  });
});

describe.each([...kindPages()])('docs/reference/%s', (_, expected) => {
  it('describes every field', () => {
    const fields = expected.split('\n').filter((line) => line.startsWith('| `') && line.split('|').length > 5);
    expect(fields.length).toBeGreaterThan(8);
    expect(fields.filter((line) => /\|\s*\|$/.test(line))).toEqual([]);
  });
});

describe('the reference pages', () => {
  it('are all listed in docs/reference/README.md', () => {
    const index = readFileSync(resolve(folder, 'README.md'), 'utf8');
    expect([...referencePages().keys()].filter((file) => !index.includes(`(${file})`))).toEqual([]);
  });

  it('name each metric that dashboards and alerts rely on', () => {
    const metrics = referencePages().get('metrics.md') ?? '';
    const known = [...Object.keys(METRICS), ...THERE_WHEN_NEEDED];
    expect(known.filter((name) => !metrics.includes(`\`${name}\``))).toEqual([]);
  });

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
