import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheKey, cacheRoot, chooseSource, type Environment, hasProgram } from './cache.ts';
import type { Program } from './programs.ts';

describe('cacheRoot()', () => {
  const cases: Record<string, { env: Environment; root: string }> = {
    'is MANTA_CACHE where it is set': { env: { MANTA_CACHE: '/m', XDG_CACHE_HOME: '/x' }, root: '/m' },
    'else lies in the cache folder of the desktop': { env: { XDG_CACHE_HOME: '/x' }, root: '/x/manta' },
    'else lies in the home folder': { env: {}, root: '/home/ada/.cache/manta' },
    'takes an empty variable for an absent one': {
      env: { MANTA_CACHE: '', XDG_CACHE_HOME: '' },
      root: '/home/ada/.cache/manta',
    },
  };
  it.each(Object.entries(cases))('%s', (_, { env, root }) => {
    expect(cacheRoot(env, '/home/ada')).toBe(root);
  });
});

it('cacheKey() differs by platform, processor and recipe, and names both versions', () => {
  const keys = [
    cacheKey('linux', 'amd64', 'aaaa'),
    cacheKey('darwin', 'amd64', 'aaaa'),
    cacheKey('linux', 'arm64', 'aaaa'),
    cacheKey('linux', 'amd64', 'bbbb'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys[0]).toBe('kubernetes-1.36.4-etcd-3.6.4-linux-amd64-aaaa');
});

const holding = (contents: Record<string, readonly Program[]>) => (folder: string, program: Program) =>
  contents[folder]?.includes(program) === true;

describe('chooseSource()', () => {
  const wanted: readonly Program[] = ['etcd', 'kubectl'];
  it('takes a given folder before a full cache', () => {
    const has = holding({ '/given': ['etcd', 'kubectl'], '/cache': ['etcd', 'kubectl'] });
    expect(chooseSource(wanted, { KUBEBUILDER_ASSETS: '/given' }, '/cache', has)).toEqual({
      kind: 'given',
      folder: '/given',
    });
  });

  it('refuses a given folder that lacks a program, names what it lacks and never falls back to the cache', () => {
    const has = holding({ '/given': ['etcd'], '/cache': ['etcd', 'kubectl'] });
    const choose = () => chooseSource(wanted, { KUBEBUILDER_ASSETS: '/given' }, '/cache', has);
    expect(choose).toThrow(/KUBEBUILDER_ASSETS is set to \/given, which has no kubectl that can be run/);
  });

  it('takes a cache that has everything', () => {
    const has = holding({ '/cache': ['etcd', 'kubectl', 'kubelet'] });
    expect(chooseSource(wanted, {}, '/cache', has)).toEqual({ kind: 'cached', folder: '/cache' });
  });

  it('builds only what the cache lacks', () => {
    const has = holding({ '/cache': ['etcd'] });
    expect(chooseSource(wanted, {}, '/cache', has)).toEqual({ kind: 'build', folder: '/cache', missing: ['kubectl'] });
  });
});

it('hasProgram() is true for a file that can be run, and for nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-cache-test-'));
  try {
    expect(hasProgram(folder, 'etcd')).toBe(false);
    mkdirSync(join(folder, 'kubectl'));
    expect(hasProgram(folder, 'kubectl')).toBe(false);
    writeFileSync(join(folder, 'etcd'), '', { mode: 0o644 });
    expect(hasProgram(folder, 'etcd')).toBe(false);
    chmodSync(join(folder, 'etcd'), 0o755);
    expect(hasProgram(folder, 'etcd')).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
