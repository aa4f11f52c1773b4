import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asNobody } from '../e2e/support/as-nobody.ts';

const ENGINE = resolve(import.meta.dirname, 'support/attacked-engine.ts');
const ATTEMPTS = readFileSync(resolve(import.meta.dirname, 'support/escape-attempts.py'), 'utf8');
const names = [...ATTEMPTS.matchAll(/^@attempt\ndef (\w+)/gm)].map(([, name = '']) => name);
const isRoot = process.getuid?.() === 0;
/** Adds a key to a session keyring, as a login does, and starts what follows with it. */
const WITH_KEY = `import ctypes, os, platform, sys
numbers = (217, 219) if platform.machine() == "aarch64" else (248, 250)
libc = ctypes.CDLL(None)
libc.syscall(numbers[1], 1, None)
libc.syscall(numbers[0], b"user", b"manta-host-key", b"secret", 6, -3)
os.execvp(sys.argv[1], sys.argv[1:])`;

const DOCS = readFileSync(resolve(import.meta.dirname, '../../docs/threat-model.md'), 'utf8');

interface Results {
  readonly container: Readonly<Record<string, unknown>>;
  readonly exec: Readonly<Record<string, unknown>>;
  readonly victim: string;
}

const users = isRoot
  ? ([
      ['root', 'user'],
      ['root', 'root'],
      ['an ordinary user', 'user'],
    ] as const)
  : ([['an ordinary user', 'user']] as const);

describe.each(users)('a pod of an engine that %s runs, sandbox mode %s', (user, mode) => {
  // A folder that is no temporary one: pods have those to themselves in any case.
  const folder = mkdtempSync(join(isRoot ? '/home' : homedir(), 'manta-escape-'));
  let results: Results;

  beforeAll(async () => {
    const home = join(folder, 'home');
    mkdirSync(home);
    const through =
      isRoot && user !== 'root'
        ? [...asNobody(folder), 'sh', '-c', 'mkdir -p "$0" && exec "$@"', join(folder, 'own')]
        : [];
    const own = through.length === 0 ? folder : join(folder, 'own');
    const engine = [process.execPath, '--disable-warning=ExperimentalWarning', ENGINE, mode, own];
    // A terminal, as users have who start an engine by hand.
    const words = [...through, 'python3', '-c', WITH_KEY, 'env', `HOME=${join(own, 'home')}`, ...engine];
    const child = spawn(
      'script',
      ['-qefc', words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' '), '/dev/null'],
      {
        env: { ...process.env, MANTA_ENGINE_SECRET: 'secret' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const said = await Promise.all([text(child.stdout), text(child.stderr)]);
    try {
      results = JSON.parse(readFileSync(join(own, 'results.json'), 'utf8'));
    } catch (error) {
      throw new Error(`the engine under attack ended early: ${said.join('\n')}`, { cause: error });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(names)('gets nothing: %s', (name) => {
    expect({ container: results.container[name], exec: results.exec[name] }).toEqual({ container: null, exec: null });
  });

  it('cannot end another pod with a signal', () => {
    expect(results.victim).toBe('alive');
  });
});

describe('the table of attempts in docs/threat-model.md', () => {
  it('lists every attempt', () => {
    expect(names.filter((name) => !DOCS.includes(`| \`${name}\` |`))).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });
});
