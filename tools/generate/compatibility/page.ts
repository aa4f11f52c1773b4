import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FEATURES, type Feature } from './features.ts';

type State = 'same' | 'better' | 'not yet';

const HEAD = `# KubeRay's features, one by one

Made by \`npm run compatibility\` from the tests; do not edit. **same**: tests hold that it is as in KubeRay. **better**: the same, but for what \`docs/differences.md\` lists, each with its reason. **not yet**: there is no test, so there is no promise. A feature whose tests are skipped is refused, and CI fails when a test of this page fails or is left out.
`;

/** The text of docs/compatibility.md. A feature is what its tests say, never what somebody wrote into a table. */
export function compatibilityPage(root: string): string {
  const rows = differenceRows(readFileSync(join(root, 'docs/differences.md'), 'utf8'));
  const parts = Object.entries(FEATURES).map(([area, features]) => {
    const lines = features.map((feature) => line(root, feature, rows));
    return `## ${area}\n\n| Feature | State | Held by |\n| --- | --- | --- |\n${lines.join('\n')}\n`;
  });
  return `${HEAD}\n${parts.join('\n')}`;
}

function line(root: string, feature: Feature, rows: readonly string[]): string {
  const { name, tests, differences, instead } = feature;
  const count = tests.reduce((sum, path) => sum + promisesIn(root, path), 0);
  const isDifferent = differences !== undefined && rows.some((row) => differences.test(row));
  const state: State = count === 0 ? 'not yet' : isDifferent ? 'better' : 'same';
  const evidence = count === 0 ? (instead ?? '–') : tests.map((path) => `\`${path}\``).join(', ');
  return `| ${name} | ${state} | ${evidence} |`;
}

/**
 * How many promises a test file makes, or all those in a folder. Throws where there is none, and where one is switched off: a table must
 * not point at nothing.
 */
export function promisesIn(root: string, path: string): number {
  const full = join(root, path);
  if (!existsSync(full)) throw new Error(`${path} does not exist: tools/generate/compatibility/features.ts names it`);
  const files = statSync(full).isDirectory()
    ? globSync('**/*.test.ts', { cwd: full }).map((each) => join(full, each))
    : [full];
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const off = files.find((_, i) => isSwitchedOff(texts[i] ?? ''));
  if (off !== undefined) throw new Error(`${off} has tests that are switched off: what they promise is not held`);
  const count = texts.reduce((sum, text) => sum + promises(text), 0);
  if (count === 0) throw new Error(`${path} has no tests: tools/generate/compatibility/features.ts names it`);
  return count;
}

/** Whether some of its tests never run, or are meant to fail. What depends on the machine is seen to by CI. */
export function isSwitchedOff(text: string): boolean {
  return /^\s*(?:it|test|describe)(?:\.\w+)*\.(?:skip|todo|fails|only)\b/m.test(text);
}

function promises(text: string): number {
  return text.match(/^\s*(?:it|test)(?:\.\w+)*[(<]/gm)?.length ?? 0;
}

/** The rows of the tables of differences, without their heads. */
export function differenceRows(markdown: string): readonly string[] {
  return markdown.split('\n').filter((each) => each.startsWith('| ') && !/^\| (?:What|---)/.test(each));
}
