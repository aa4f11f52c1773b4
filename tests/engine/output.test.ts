import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const MANTA = resolve(import.meta.dirname, '../../bin/manta');

it('a reader that leaves early is no error', async () => {
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', `${MANTA} crds | head -n 2`]);
  expect(stdout).toBe('---\napiVersion: apiextensions.k8s.io/v1\n');
  expect(stderr).toBe('');
});
