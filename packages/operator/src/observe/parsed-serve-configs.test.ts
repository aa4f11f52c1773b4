import { YAML_LIMITS } from '@manta/base';
import { describe, expect, it } from 'vitest';
import { parseKubernetesYaml, parseWholeYaml } from '../kubernetes-yaml.ts';
import { parseServeConfig, ServeConfigs } from './parsed-serve-configs.ts';

const long = (name: string) => `applications:\n${`- name: ${name}\n`.repeat(YAML_LIMITS.onLoopBytes / 10)}`;

describe('serveConfigV2', () => {
  it.each([
    '{"applications": [{"name": "a", "x": [1, 2.5, -0.1e2, true, null, "é\\u00e9\\n"]}]}',
    '{"a": 12345678901234567890, "b": 1e400, "c": {"a": 1, "a": 2}}',
    '{}',
    ' \n{"a":\n 1}\n',
  ])('is the same as JSON and as YAML: %s', (text) => {
    // A comment at the end keeps the text from being JSON.
    expect(parseServeConfig(text, parseKubernetesYaml)).toEqual(parseServeConfig(`${text}\n#`, parseKubernetesYaml));
  });

  it('is refused as YAML beyond the limit, and taken as JSON', () => {
    const name = 'x'.repeat(YAML_LIMITS.bytes);
    expect(parseServeConfig(`name: ${name}`, parseKubernetesYaml)).toEqual({
      ok: false,
      error: `error converting YAML to JSON: yaml: ${name.length + 6} characters, at most ${YAML_LIMITS.bytes} are parsed: write them as JSON`,
    });
    expect(parseServeConfig(JSON.stringify({ name }), parseKubernetesYaml)).toEqual({ ok: true, value: { name } });
  });
});

describe('ServeConfigs', () => {
  const PENDING = { ok: false, isPending: true };
  /** Parses when the test says so. */
  function setUp() {
    const asked: { text: string; namespace: string; signal: AbortSignal | undefined; end(): void; fail(): void }[] = [];
    const parsed: string[] = [];
    const configs = new ServeConfigs({
      parseYaml: parseKubernetesYaml,
      offLoop: (text, by) => {
        const { promise, resolve, reject } = Promise.withResolvers<{ ok: true; value: unknown }>();
        const end = () => resolve({ ok: true, value: Object.fromEntries([['read', text.length]]) });
        asked.push({
          text,
          namespace: by.namespace,
          signal: by.signal,
          end,
          fail: () => reject(new Error('no process')),
        });
        return promise;
      },
      onParsed: (key) => void parsed.push(key),
    });
    return { configs, asked, parsed };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('parse a short text at once', () => {
    const { configs, asked } = setUp();
    expect(configs.of('ns/k', 'a: 1')).toEqual({ ok: true, value: { a: 1 } });
    expect(asked).toEqual([]);
  });

  it('parse a long text off the loop, once, on behalf of its namespace, and call back', async () => {
    const { configs, asked, parsed } = setUp();
    const text = long('a');
    expect(configs.of('ns/k', text)).toEqual(PENDING);
    expect(configs.of('ns/k', text)).toEqual(PENDING);
    expect(asked.map(({ namespace }) => namespace)).toEqual(['ns']);
    asked[0]?.end();
    await settle();
    expect(parsed).toEqual(['ns/k']);
    expect(configs.of('ns/k', text)).toEqual({ ok: true, value: { read: text.length } });
  });

  it('give up a text that has been replaced meanwhile, also by a short one', async () => {
    const { configs, asked, parsed } = setUp();
    configs.of('ns/k', long('a'));
    configs.of('ns/k', long('bb'));
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
    asked[1]?.end();
    asked[0]?.end();
    await settle();
    expect(parsed).toEqual(['ns/k']);
    expect(configs.of('ns/k', long('bb'))).toEqual({ ok: true, value: { read: long('bb').length } });
    configs.of('ns/k', long('a'));
    configs.of('ns/k', 'a: 1');
    asked[2]?.end();
    await settle();
    expect(asked[2]?.signal?.aborted).toBe(true);
    expect(configs.of('ns/k', 'a: 1')).toEqual({ ok: true, value: { a: 1 } });
  });

  it('give up the text of a service that was deleted', async () => {
    const { configs, asked, parsed } = setUp();
    configs.of('ns/k', long('a'));
    configs.forget('ns/k');
    asked[0]?.fail();
    await settle();
    expect([asked[0]?.signal?.aborted, parsed]).toEqual([true, []]);
  });

  it('parse on the loop where no process can be started', async () => {
    const { configs, asked } = setUp();
    configs.of('ns/k', long('a'));
    asked[0]?.fail();
    await settle();
    expect(configs.of('ns/k', long('a'))).toEqual(parseServeConfig(long('a'), parseWholeYaml));
  });
});
