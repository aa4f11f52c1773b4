import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

/** The parts of an installation that its programs read. Nothing else beside them is shown, for example in `~/.local`. */
const PARTS = ['bin', 'lib', 'lib32', 'lib64', 'libexec', 'include', 'etc', 'ssl', 'usr', 'pyvenv.cfg'];
/** The parts of a Homebrew prefix besides those: each formula's files, to which the links in `bin` and `lib` lead. */
const BREW_PARTS = ['Cellar', 'opt'];
/** The parts of pyenv's root that its shims need: pyenv itself, and each Python that it has installed. */
const PYENV_PARTS = ['libexec', 'pyenv.d', 'version', 'versions'];
/** What marks a folder that holds an installation of Python and nothing else, which is shown whole. */
const WHOLE = ['pyvenv.cfg', 'conda-meta'];
/** Part of every container anyway. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib[^/]*|nix\/store|gnu\/store)(?:\/|$)/;
/** Programs whose own installation is needed too, as they may be links out of a virtual environment. */
const INTERPRETER = /^python\d*(?:\.\d+)?$/;
/** A line of pyenv's shims: `exec "/home/me/.pyenv/libexec/pyenv" exec "$program" "$@"`. */
const PYENV_SHIM = /^exec "(\/[^"\n]*\/pyenv)" exec /m;
const SHEBANG = /^#!\s*(\/\S+)/;

/**
 * The files and folders of this machine that programs in a folder need: the folder, the installation around it, and those of the Python
 * interpreters that it leads to, which may be in somebody's home. Paths are given both as they are written and as they really are.
 */
export function programsAround(bin: string): readonly string[] {
  const known = cache.get(bin);
  if (known !== undefined) return known;
  const installations = new Set<string>();
  const found = new Set<string>([bin]);
  const add = (home: string, parts: readonly string[]) => {
    for (const part of parts) if (existsSync(join(home, part))) found.add(join(home, part));
  };
  const visit = (folder: string) => {
    const home = dirname(folder);
    if (home === '/' || installations.has(folder)) return;
    installations.add(folder);
    if (isPyenv(folder)) {
      add(home, PYENV_PARTS);
      for (const version of namesIn(join(home, 'versions'))) visit(join(home, 'versions', version, 'bin'));
      const pyenv = PYENV_SHIM.exec(textOf(join(folder, 'python')))?.[1];
      if (pyenv !== undefined) visit(dirname(pyenv));
    }
    if (basename(folder) !== 'bin') return;
    if (isWhole(home)) found.add(home);
    else add(home, PARTS);
    const prefix = brewPrefixOf(home);
    if (prefix !== undefined) add(prefix, [...PARTS, ...BREW_PARTS]);
    for (const interpreter of interpretersOf(folder)) visit(dirname(interpreter));
  };
  visit(bin);
  const all = [...found].flatMap((path) => [path, realOf(path)]);
  const outside = [...new Set(all)].filter((path) => !SYSTEM.test(path)).toSorted();
  // What is in a folder that is named already needs no mention.
  const programs = outside.filter((path) => !outside.some((other) => path.startsWith(`${other}/`)));
  cache.set(bin, programs);
  return programs;
}

/** An installation does not change under a running engine. */
const cache = new Map<string, readonly string[]>();

/** The scripts in pyenv's folder of shims run the same program of the Python that pyenv chooses. */
function isPyenv(folder: string): boolean {
  return basename(folder) === 'shims' && PYENV_SHIM.test(textOf(join(folder, 'python')));
}

/** The Homebrew prefix that an installation is, or is a formula of: `<prefix>/opt/<formula>`, `<prefix>/Cellar/<formula>/<version>`. */
function brewPrefixOf(home: string): string | undefined {
  const isPrefix = (folder: string) => existsSync(join(folder, 'Cellar')) && existsSync(join(folder, 'opt'));
  const formula = /^(.+?)\/(?:opt\/[^/]+|Cellar\/[^/]+\/[^/]+)$/.exec(home)?.[1];
  return [home, ...(formula === undefined ? [] : [formula])].find(isPrefix);
}

/** A virtual environment may be the user's home folder. */
function isWhole(home: string): boolean {
  const isAboveHome = `${realOf(homedir())}/`.startsWith(`${realOf(home)}/`);
  return !isAboveHome && WHOLE.some((name) => existsSync(join(home, name)));
}

/** Where the Pythons of a folder are: each link on the way, the last one, and what `pyvenv.cfg` and scripts name. */
function interpretersOf(folder: string): readonly string[] {
  const names = namesIn(folder);
  const links = names.filter((name) => INTERPRETER.test(name)).flatMap((name) => linksFrom(join(folder, name)));
  const home = /^home\s*=\s*(.+)$/m.exec(textOf(join(dirname(folder), 'pyvenv.cfg')))?.[1]?.trim();
  const script = SHEBANG.exec(textOf(join(folder, 'ray')))?.[1];
  return [...links, ...(home === undefined ? [] : [join(home, 'python3')]), ...(script === undefined ? [] : [script])];
}

function linksFrom(path: string): readonly string[] {
  const all = [path];
  for (let at = path; all.length < 40; ) {
    try {
      at = resolve(dirname(at), readlinkSync(at));
      all.push(at);
    } catch {
      break;
    }
  }
  return [...all, realOf(path)];
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
