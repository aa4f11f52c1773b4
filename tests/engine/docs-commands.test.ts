import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stepsIn } from '../e2e/guide/console-block.ts';
import { pages, ROOT } from '../repository/docs/pages.ts';

/** The commands that a page asks its readers to type: all of its `sh` blocks, and what follows `$ ` in its `console` blocks. */
function commandsIn(markdown: string): readonly string[] {
  const flat = markdown.replaceAll(/^ {3}(?=\S|$)/gm, '');
  const scripts = [...flat.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, script = '']) => script);
  return [...scripts, ...stepsIn(flat).map(({ command }) => command)];
}

/** The words of each simple command, without comments and what follows `--`. */
function simpleCommands(script: string): readonly (readonly string[])[] {
  const lines = script.replaceAll('\\\n', ' ').split(/\n|\|\|?|&&|;|\$\(/);
  return lines
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/, '')
        .replace(/\s--(?:\s.*)?$/, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([first]) => first !== undefined && first !== '');
}

const documented = pages()
  .map(({ path }) => ({ path, commands: commandsIn(readFileSync(join(ROOT, path), 'utf8')) }))
  .filter(({ commands }) => commands.length > 0);
const words = documented.flatMap(({ commands }) => commands.flatMap(simpleCommands));

describe('the commands of the documentation', () => {
  it.each(documented.map(({ path, commands }) => [path, commands] as const))(
    '%s: bash can parse them',
    (_, commands) => {
      const refused = commands
        .map((command) => spawnSync('bash', ['-n'], { input: command, encoding: 'utf8' }).stderr)
        .filter((stderr) => stderr !== '');
      expect(refused).toEqual([]);
    },
  );

  it('run scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const run = words.flatMap(([program, verb, name = '']) => (program === 'npm' && verb === 'run' ? [name] : []));
    const names = run.filter((name) => !name.startsWith('-'));
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('name files and folders that exist', () => {
    const paths = words.flat().filter((word) => /^(?:samples|deploy|tests|charts|bin)\/[\w./-]+$/.test(word));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it.each([
    ['manta', programs(/^(?:bin\/)?manta$/, 0)],
    ['kubectl-ray', [...programs(/^(?:bin\/)?kubectl-ray$/, 0), ...programs(/^kubectl$/, 1, 'ray')]],
  ])('%s: has the commands and flags that they use', (program, uses) => {
    expect(uses.length).toBeGreaterThan(3);
    const helps = new Map<string, string>();
    const problems = uses.flatMap((use) => {
      const path = commandPath(use);
      const key = path.join(' ');
      const help = helps.get(key) ?? helpOf(program, path);
      helps.set(key, help);
      const flags = use.flatMap((word) => /^--[a-z][\w-]+/.exec(word)?.[0] ?? []);
      return flags.filter((flag) => !help.includes(flag)).map((flag) => `${program} ${key}: ${flag}`);
    });
    expect(problems).toEqual([]);
  });
});

/** The arguments of each call of a program; with `verb`, of its subcommand. */
function programs(name: RegExp, skip: number, verb?: string): readonly (readonly string[])[] {
  return words.flatMap((line) => {
    const at = line.findIndex((word) => name.test(word));
    // Only assignments of variables may stand before the program.
    if (at < 0 || line.slice(0, at).some((word) => !word.includes('='))) return [];
    return verb === undefined || line[at + 1] === verb ? [line.slice(at + 1 + skip)] : [];
  });
}

/** The words before the first flag that may name a subcommand: lower-case, without dots and slashes. */
function commandPath(args: readonly string[]): readonly string[] {
  const end = args.findIndex((word) => !/^[a-z][a-z-]*$/.test(word));
  return end < 0 ? args : args.slice(0, end);
}

/** The help of a subcommand with that of its parents, whose flags it takes too. Arguments behind the subcommand do not matter. */
function helpOf(program: string, path: readonly string[]): string {
  const call = (args: readonly string[]) =>
    execFileSync(join(ROOT, 'bin', program), [...args, '--help'], {
      encoding: 'utf8',
      env: { ...process.env, COLUMNS: '200' },
    });
  return [call([]), call(path)].join('\n');
}
