import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { shippedPackages } from './shipped.ts';
import { advisoriesIn, violations } from './policy.ts';

/** `npm run audit`: asks the registry for known weaknesses of what we use, and holds them against our policy. */
const root = resolve(import.meta.dirname, '../..');
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
try {
  const shipped = shippedPackages(root);
  const found = violations(advisoriesIn(stdout), (name) => shipped.includes(name));
  for (const line of found) console.error(`audit: ${line}`);
  if (found.length > 0) process.exitCode = 1;
  else console.log('audit: nothing that the policy forbids');
} catch (error) {
  console.error(`audit: the registry gave no answer: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
