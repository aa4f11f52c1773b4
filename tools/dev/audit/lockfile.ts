import type { LockedPackage } from './shipped.ts';

/** The only packages that users run besides ours: each more is a decision. */
const RUN_BY_USERS: readonly string[] = [
  '@hono/node-server',
  '@marcbachmann/cel-js',
  'commander',
  'hono',
  'ignore',
  'jose',
  'oauth4webapi',
  'openid-client',
  're2js',
  'ws',
  'yaml',
];

/** May run a program when they are installed: this one puts its own binary in place. */
const INSTALL_SCRIPTS: readonly string[] = ['esbuild'];

const PERMISSIVE: readonly string[] = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'];
/** Fine for what builds and tests, and never leaves this repository. */
const TOOLS_TOO: readonly string[] = ['MPL-2.0', 'PSF-2.0', 'Unlicense', 'CC0-1.0', 'BlueOak-1.0.0'];

/** What can be checked without asking anybody: where packages come from, that their bytes are known, what they run and what they allow. */
export function lockfileProblems(
  locked: Readonly<Record<string, LockedPackage>>,
  shipped: readonly string[],
): readonly string[] {
  const packages = Object.entries(locked).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const added = shipped.filter((name) => !RUN_BY_USERS.includes(name));
  return [
    ...packages.flatMap(([path, each]) => problemsOf(nameAt(path), each, shipped)),
    ...added.map((name) => `${name}: is run by users, and is not on the list of those that may be`),
  ];
}

function problemsOf(name: string, each: LockedPackage, shipped: readonly string[]): readonly string[] {
  const { resolved = '', integrity = '', optional, hasInstallScript, license } = each;
  // Programs for other platforms are in the lock by their version only.
  const isElsewhere = optional === true && integrity === '';
  const problems: string[] = [];
  if (resolved !== '' && !resolved.startsWith('https://registry.npmjs.org/'))
    problems.push(`comes from ${resolved}, not from the registry`);
  if (!isElsewhere && !integrity.startsWith('sha512-')) problems.push('has no SHA-512 of its bytes');
  if (hasInstallScript === true && !INSTALL_SCRIPTS.includes(name))
    problems.push('runs a program when it is installed');
  const allowed = shipped.includes(name) ? PERMISSIVE : [...PERMISSIVE, ...TOOLS_TOO];
  if (!isElsewhere && !isAllowed(license, allowed)) problems.push(`has the licence ${license ?? '(none)'}`);
  return problems.map((problem) => `${name}: ${problem}`);
}

/** Of alternatives one has to be allowed. */
function isAllowed(license: string | undefined, allowed: readonly string[]): boolean {
  const alternatives = (license ?? '').replaceAll(/[()]/g, '').split(' OR ');
  return alternatives.some((each) => allowed.includes(each));
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
