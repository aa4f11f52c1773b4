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

/** The Warning event of a failing RayJob, which only we emit (docs/differences/rayjob.md). */
const FAILED_EVENT =
  / {2}- action: Reconcile\n {4}controller: rayjob-controller\n {4}kind: RayJob\n {4}name: .*\n {4}note: .*\n(?: {6}.*\n)* {4}reason: RayJobFailed\n {4}type: Warning\n/g;

describe('our own goldens of RayJobs', () => {
  it.each(readdirSync(ours))(
    '%s differs from the recorded one only in generations and the event of a failed RayJob, or is documented',
    (file) => {
      const name = file.replace('.yaml', '');
      if (documented.includes(`\`${name}\``)) return;
      expect(existsSync(join(theirs, file))).toBe(true);
      const read = (folder: string) =>
        withoutGenerations(readFileSync(join(folder, file), 'utf8')).replaceAll(FAILED_EVENT, '');
      expect(read(ours)).toBe(read(theirs));
    },
  );
});
