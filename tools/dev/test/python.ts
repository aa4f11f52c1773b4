import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheRoot } from '../../fetch/kube/cache.ts';

const run = promisify(execFile);

/** A Python that can import `module`: the machine's own, else one in a virtual environment of ours with `pkg` from PyPI. */
export async function pythonWith(module: string, pkg: string): Promise<string> {
  if (await canImport('python3', module)) return 'python3';
  const folder = join(cacheRoot(process.env, homedir()), 'python', pkg);
  const python = join(folder, 'bin/python3');
  if (!existsSync(python)) await run('python3', ['-m', 'venv', folder]);
  if (!(await canImport(python, module))) await run(python, ['-m', 'pip', 'install', '--quiet', pkg]);
  return python;
}

async function canImport(python: string, module: string): Promise<boolean> {
  try {
    await run(python, ['-c', `import ${module}`]);
    return true;
  } catch {
    return false;
  }
}
