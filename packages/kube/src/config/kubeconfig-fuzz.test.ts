import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFakeHost } from '../testing/fake-host.ts';
import { ConfigError } from './config-error.ts';
import { loadConnection } from './load.ts';

/** Whatever a file holds, loading it gives a connection or one line that names the file; nothing else is ever thrown. */

/** Undefined for a connection, else what was thrown. */
async function mistake(text: string): Promise<unknown> {
  const host = createFakeHost({ files: { '/k/config': text } });
  try {
    await (await loadConnection({ kubeconfig: '/k/config', host })).credentials();
    return undefined;
  } catch (error) {
    return error;
  }
}

function isOneLine(error: unknown): boolean {
  return error instanceof ConfigError && error.message.startsWith('/k/config') && !error.message.includes('\n');
}

const garbage = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('x', '', 'https://a:1', 'client.authentication.k8s.io/v1', 'Never', true) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** At most two of the fields, so that a mistake in one does not always hide the others. */
const sometimes = (fields: readonly string[]) =>
  fc
    .subarray([...fields], { maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen.map((field) => [field, garbage]))));

const cluster = sometimes([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'proxy-url',
  'extensions',
]);
const exec = sometimes(['apiVersion', 'command', 'args', 'env', 'interactiveMode', 'provideClusterInfo']);
const user = fc
  .tuple(
    sometimes([
      'token',
      'tokenFile',
      'username',
      'password',
      'client-certificate',
      'client-certificate-data',
      'client-key',
      'client-key-data',
      'as',
      'as-uid',
      'as-groups',
      'as-user-extra',
      'auth-provider',
    ]),
    fc.option(fc.oneof(exec, garbage), { nil: undefined }),
  )
  .map(([fields, plugin]) => (plugin === undefined ? fields : { ...fields, exec: plugin }));

const kubeconfig = fc.record({
  'current-context': fc.constant('c'),
  clusters: fc.oneof(
    { weight: 9, arbitrary: cluster.map((value) => [{ name: 'c', cluster: { server: 'https://a', ...value } }]) },
    { weight: 1, arbitrary: garbage.map((value) => value as never) },
  ),
  users: fc.oneof(
    { weight: 9, arbitrary: user.map((value) => [{ name: 'c', user: value }]) },
    { weight: 1, arbitrary: garbage.map((value) => value as never) },
  ),
  contexts: fc.oneof(
    { weight: 9, arbitrary: fc.constant([{ name: 'c', context: { cluster: 'c', user: 'c' } }]) },
    { weight: 1, arbitrary: garbage.map((value) => value as never) },
  ),
});

test('a kubeconfig with garbage in any field connects or is explained in one line', async () => {
  let connected = 0;
  await fc.assert(
    fc.asyncProperty(kubeconfig, async (config) => {
      const error = await mistake(JSON.stringify(config));
      if (error === undefined) connected++;
      expect(error === undefined || isOneLine(error)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  expect(connected).toBeGreaterThan(50);
  expect(connected).toBeLessThan(1_950);
});

test('any text at all is explained in one line', async () => {
  const line = fc.constantFrom(
    'a: b',
    '- x',
    '  - y: [',
    '\tz',
    'clusters:',
    '&a *a',
    '<<: *b',
    '"',
    '---',
    '? {',
    '!!x',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(line).map((lines) => lines.join('\n')),
  );
  await fc.assert(
    fc.asyncProperty(text, async (content) => {
      expect(isOneLine(await mistake(content))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
