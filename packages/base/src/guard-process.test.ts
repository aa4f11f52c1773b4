import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const base = JSON.stringify(join(import.meta.dirname, 'index.ts'));

/** Runs a program with the last resort installed; vitest has handlers of its own, so a process of its own it is. */
async function play(program: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const text = `import { guardProcess, guardConnection, failureCounts } from ${base};\n${program}`;
  return await run(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', text]);
}

describe('guardProcess()', () => {
  it('keeps the process alive after an exception in a timer and a rejected promise, and counts both', async () => {
    const { stdout, stderr } = await play(`
      guardProcess();
      setTimeout(() => { throw new Error('in a timer') }, 1);
      Promise.reject(new Error('in a promise'));
      setTimeout(() => console.log('alive', failureCounts().get('process')), 30);
    `);
    expect(stdout).toBe('alive 2\n');
    expect(stderr).toContain('in a timer');
    expect(stderr).toContain('in a promise');
  });

  it('ends only the connection that a failing timer or promise belongs to', async () => {
    const { stdout } = await play(`
      guardProcess(() => console.log('unknown'));
      const served = guardConnection('a server', (connection) => {
        setTimeout(() => { throw new Error('late') }, 1);
      });
      served({ destroy: () => console.log('ended') });
      setTimeout(() => console.log(failureCounts().get('a server')), 30);
    `);
    expect(stdout).toBe('ended\n1\n');
  });

  it('leaves the decision about unknown failures to the program', async () => {
    const { stdout } = await play(`
      guardProcess((error) => console.log('stopping after', error.message));
      setTimeout(() => { throw new Error('x') }, 1);
    `);
    expect(stdout).toBe('stopping after x\n');
  });
});
