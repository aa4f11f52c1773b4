import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/shared-folder.ts';

const root = join(import.meta.dirname, '../..');
const ours = join(root, 'tests/oracle/rayjob');
const theirs = join(sharedFolder(), 'oracle/golden/rayjob');
const documented = readFileSync(join(root, 'docs/differences/rayjob.md'), 'utf8');

/** KubeRay writes every new RayJob back, which raises its generation by one; the recorder keeps only whether the two are equal. */
const withoutGenerations = (text: string) => text.replaceAll(/observedGeneration: <\w+>/g, 'observedGeneration');

describe('our own goldens of RayJobs', () => {
  it.each(readdirSync(ours))('%s differs from the recorded one only in generations, or is documented', (file) => {
    const name = file.replace('.yaml', '');
    if (documented.includes(`\`${name}\``)) return;
    expect(existsSync(join(theirs, file))).toBe(true);
    const read = (folder: string) => withoutGenerations(readFileSync(join(folder, file), 'utf8'));
    expect(read(ours)).toBe(read(theirs));
  });
});
