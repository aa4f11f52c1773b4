import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('asks for nothing that this V8 does not know', () => {
  const url = join(import.meta.dirname, 'keep-small.ts');
  const program = `import { keepSmall } from ${JSON.stringify(url)}; keepSmall();`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});
