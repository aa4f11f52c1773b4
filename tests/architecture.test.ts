import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Who may import whom, lowest first. This table is the documentation of it, and the tests below hold it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: [],
  plan: ['api'],
  insight: ['api', 'plan'],
  kube: ['base', 'api'],
  runtime: ['base', 'api', 'kube'],
  ray: ['base'],
  operator: ['base', 'api', 'plan', 'kube', 'runtime', 'ray'],
  apiserver: ['base', 'api', 'kube'],
  controllers: ['base', 'api', 'kube', 'apiserver'],
  kubelet: ['base', 'api', 'kube', 'apiserver', 'controllers'],
  local: ['base', 'api', 'kube', 'apiserver', 'controllers', 'kubelet'],
  router: ['base', 'api', 'kube', 'runtime'],
  manta: [
    'base',
    'api',
    'plan',
    'console',
    'history',
    'kube',
    'runtime',
    'ray',
    'operator',
    'kubelet',
    'local',
    'router',
  ],
  cli: ['base', 'api', 'apiserver', 'history', 'plan', 'insight', 'kube', 'ray'],
  console: ['base', 'api', 'plan', 'insight', 'kube', 'ray', 'runtime'],
  history: ['base', 'api', 'kube', 'runtime'],
  'console-web': ['api', 'plan', 'insight', 'console'],
};

/** Packages whose imports of another package may be types only. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  kube: ['api'],
  runtime: ['api'],
  'console-web': ['console'],
  cli: ['history'],
};

/** npm packages that a package may import; everything else is Node's own. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: [],
  plan: [],
  insight: [],
  kube: ['ws', 'yaml'],
  runtime: [],
  ray: ['ws'],
  operator: ['yaml'],
  apiserver: ['yaml', '@marcbachmann/cel-js', 're2js'],
  controllers: [],
  kubelet: ['ws'],
  local: [],
  router: ['re2js'],
  manta: ['commander', 'yaml'],
  cli: ['commander', 'ignore', 'yaml'],
  console: ['@hono/node-server', 'hono', 'hono/body-limit', 'openid-client', 'ws', 'yaml'],
  history: [],
  'console-web': [
    '@codemirror/autocomplete',
    '@codemirror/commands',
    '@codemirror/lang-yaml',
    '@codemirror/language',
    '@codemirror/lint',
    '@codemirror/merge',
    '@codemirror/search',
    '@codemirror/state',
    '@codemirror/view',
    '@lezer/highlight',
    '@tanstack/react-virtual',
    'react',
    'react-dom/client',
    'wouter',
    'yaml',
  ],
};

/** The only files that may call a client's mutating methods. */
const MAY_WRITE = [
  // Dry-run only: nothing is stored.
  /^packages\/operator\/src\/cluster\/crd-age\.ts$/,
  /^packages\/manta\/src\/commands\/install-crds\.ts$/,
  // What the user asked for, with the user's own rights.
  /^packages\/cli\/src\/commands\//,
  /^packages\/operator\/src\/act\/(create-objects|rewrite|write-status)\.ts$/,
  /^packages\/operator\/src\/webhooks\/own-certificate\.ts$/,
  /^packages\/router\/src\/gateway\/writes\.ts$/,
  /^packages\/runtime\/src\/leader-election\.ts$/,
  /^packages\/runtime\/src\/events?(-[a-z]+)*\.ts$/,
];

const root = resolve(import.meta.dirname, '..');
const sources = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root })
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => ({ path, pkg: path.split('/')[1] ?? '', text: readFileSync(join(root, path), 'utf8') }));
const shipped = sources.filter(({ path }) => !path.endsWith('.test.ts') && !path.includes('/testing/'));

interface Import {
  readonly from: string;
  readonly isTypeOnly: boolean;
}

/** The import and re-export statements of a file, dynamic ones included. */
function importsOf(text: string): readonly Import[] {
  const statements = [...text.matchAll(/^\s*(?:import|export)\s+(type\s+)?(?:[^'"();]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)];
  const dynamic = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)];
  return [
    ...statements.map((match) => ({ from: match[2] ?? '', isTypeOnly: match[1] !== undefined })),
    ...dynamic.map((match) => ({ from: match[1] ?? '', isTypeOnly: false })),
  ];
}

const violations = (check: (file: (typeof sources)[number], imported: Import) => string | undefined, files = shipped) =>
  files.flatMap((file) =>
    importsOf(file.text).flatMap((imported) => {
      const problem = check(file, imported);
      return problem === undefined ? [] : [`${file.path}: ${problem}`];
    }),
  );

describe('the package map', () => {
  it('finds the sources and their imports', () => {
    expect(shipped.length).toBeGreaterThan(100);
    expect(
      importsOf(`import type { A } from '@manta/api';\nimport {\n  b,\n} from './b.ts';\nawait import('yaml');`),
    ).toEqual([
      { from: '@manta/api', isTypeOnly: true },
      { from: './b.ts', isTypeOnly: false },
      { from: 'yaml', isTypeOnly: false },
    ]);
  });

  it('knows every package', () => {
    expect([...new Set(sources.map(({ pkg }) => pkg))].filter((pkg) => MAY_IMPORT[pkg] === undefined)).toEqual([]);
  });

  it('lets a package import only those below it', () => {
    const wrong = violations(({ pkg }, { from, isTypeOnly }) => {
      const target = /^@manta\/([a-z-]+)/.exec(from)?.[1];
      if (target === undefined) return undefined;
      if (!MAY_IMPORT[pkg]?.includes(target)) return `${pkg} may not import ${target}`;
      if (TYPES_ONLY[pkg]?.includes(target) && !isTypeOnly) return `${pkg} may import only types of ${target}`;
      return undefined;
    });
    expect(wrong).toEqual([]);
  });

  it('lets a package reach another only through its public surface', () => {
    const wrong = violations(
      ({ path }, { from }) => {
        if (/^@manta\/[a-z-]+\/(?!testing$|crds$|schema$|protocol$|supervisor$|stop-signal$)/.test(from))
          return `imports the inside of a package: ${from}`;
        const escapes =
          from.startsWith('.') && !join(path, '..', from).startsWith(path.split('/').slice(0, 3).join('/'));
        return escapes ? `leaves its package: ${from}` : undefined;
      },
      sources.filter(({ path }) => !path.endsWith('.test.ts')),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps test helpers out of what is shipped', () => {
    expect(violations((_, { from }) => (from.includes('/testing') ? `imports ${from}` : undefined))).toEqual([]);
  });

  it('allows only the chosen npm packages', () => {
    const wrong = violations(({ pkg }, { from, isTypeOnly }) => {
      if (from.startsWith('.') || from.startsWith('node:') || from.startsWith('@manta/') || isTypeOnly)
        return undefined;
      return MAY_USE[pkg]?.includes(from) ? undefined : `${pkg} may not use ${from}`;
    });
    expect(wrong).toEqual([]);
  });
});

describe('purity', () => {
  const pure = shipped.filter(({ pkg }) => pkg === 'api' || pkg === 'plan' || pkg === 'insight');

  it('keeps node:* out of api, plan and insight', () => {
    expect(violations((_, { from }) => (from.startsWith('node:') ? `imports ${from}` : undefined), pure)).toEqual([]);
  });

  it('keeps the clock, dice and waiting out of api, plan and insight', () => {
    const impure = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bawait\b|\bsetTimeout\(/;
    const wrong = pure
      .filter(({ text }) => impure.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });

  it('lets only the actor, the lease and the event recorder write to the API server', () => {
    const mutating = /\bclient\s*\.\s*(create|update|patch|delete|deleteCollection)\b/;
    const wrong = shipped
      .filter(
        ({ pkg, path, text }) =>
          pkg !== 'kube' && mutating.test(text) && !MAY_WRITE.some((allowed) => allowed.test(path)),
      )
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

describe('ownership', () => {
  it('lets nobody but ownership.ts make an action that changes or deletes an object', () => {
    const literal = /\btype: '(update|patch|delete)'(?!;)/;
    const wrong = shipped
      .filter(({ pkg, path }) => ['plan', 'operator'].includes(pkg) && !path.endsWith('plan/src/ownership.ts'))
      .filter(({ text }) => literal.test(text))
      .map(({ path }) => path);
    expect(wrong).toEqual([]);
  });
});

describe('size', () => {
  it('keeps every file within 450 lines', () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('.gen.ts'))
      .map(({ path, text }) => ({ path, lines: text.split('\n').length }))
      .filter(({ lines }) => lines > 450);
    expect(long).toEqual([]);
  });
});
