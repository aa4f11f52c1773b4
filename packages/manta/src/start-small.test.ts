import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { START_FLAGS } from './start-small.ts';

const folder = mkdtempSync(join(tmpdir(), 'manta-start-small-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a program that starts small', () => {
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { writeSync } from 'node:fs';
    import { startSmall } from ${JSON.stringify(join(import.meta.dirname, 'start-small.ts'))};
    const { pid, argv, execArgv } = process;
    writeSync(1, JSON.stringify({ pid, args: argv.slice(2), execArgv }) + '\\n');
    startSmall();
    process.exitCode = 7;`,
  );
  const run = (...flags: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, program, '--a=b c', ''], {
      encoding: 'utf8',
    });
    const starts = stdout.trimEnd().split('\n');
    return { status, stderr, starts: starts.map((line) => JSON.parse(line)) };
  };

  it('is started again once, with flags that this Node knows, as the same process with the same arguments', () => {
    const given = ['--no-warnings'];
    const { status, stderr, starts } = run(...given);
    expect({ status, stderr }).toEqual({ status: 7, stderr: '' });
    const { pid } = starts[0];
    const args = ['--a=b c', ''];
    expect(starts).toEqual([
      { pid, args, execArgv: given },
      { pid, args, execArgv: [...START_FLAGS, ...given] },
    ]);
  });

  it('and has its flags goes on', () => {
    expect(run(...START_FLAGS)).toMatchObject({ status: 7, stderr: '', starts: [{ execArgv: START_FLAGS }] });
  });
});

it('the launcher gives the operator the same flags', () => {
  const launcher = readFileSync(join(import.meta.dirname, '../../../bin/manta'), 'utf8');
  const given = launcher.split('\n').find((line) => line.includes('--no-node-snapshot')) ?? '';
  for (const flag of START_FLAGS) expect(given).toContain(flag);
});
