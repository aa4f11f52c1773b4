import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { lockfileProblems } from './lockfile.ts';
import { advisoriesIn, NoAdvisories, violations } from './policy.ts';
import { lockedPackages, shippedPackages } from './shipped.ts';

/**
 * `npm run audit`: holds the lockfile and, where the registry tells, the known weaknesses of what we use against our policy. A registry
 * that keeps no advisories is said so and passes; one that should and does not answer fails where everything is required.
 */
const root = resolve(import.meta.dirname, '../../..');
const shipped = shippedPackages(root);
const locked = lockedPackages(root);

function advisoryProblems(): readonly string[] {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, timeout: 60_000 } as const;
  const { stdout, error: broken } = spawnSync('npm', ['audit', '--json'], options);
  try {
    const found = violations(
      advisoriesIn(stdout || JSON.stringify({ message: broken?.message ?? 'npm audit said nothing' })),
      (name) => shipped.includes(name),
    );
    console.log('audit: the registry was asked for advisories');
    return found;
  } catch (error) {
    if (!(error instanceof NoAdvisories)) throw error;
    console.log(`audit: NOT ASKED FOR ADVISORIES: ${error.message}`);
    return error.isForGood || process.env['MANTA_REQUIRE'] !== 'all' ? [] : [error.message];
  }
}

const problems = [...lockfileProblems(locked, shipped), ...advisoryProblems()];
for (const problem of problems) console.error(`audit: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(
    `audit: ${Object.keys(locked).filter((path) => path.includes('node_modules/')).length} packages from the registry, ${shipped.length} of them run by users: nothing that the policy forbids`,
  );
