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
  /** Parses when the test says so. */
  function setUp() {
    const asked: { readonly text: string; readonly end: () => void; readonly fail: () => void }[] = [];
    const configs = new ServeConfigs(parseKubernetesYaml, (text) => {
      const { promise, resolve, reject } = Promise.withResolvers<{ ok: true; value: unknown }>();
      const end = () => resolve({ ok: true, value: Object.fromEntries([['read', text.length]]) });
      asked.push({ text, end, fail: () => reject(new Error('no process')) });
      return promise;
    });
    return { configs, asked };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('parses a short text at once', () => {
    const { configs, asked } = setUp();
    expect(configs.isReady('k', 'a: 1', () => undefined)).toBe(true);
    expect(configs.of('k', 'a: 1')).toEqual({ ok: true, value: { a: 1 } });
    expect(asked).toEqual([]);
  });

  it('parses a long text off the loop, once, and calls back', async () => {
    const { configs, asked } = setUp();
    const text = long('a');
    let calls = 0;
    const onParsed = () => void (calls += 1);
    expect(configs.isReady('k', text, onParsed)).toBe(false);
    expect(configs.isReady('k', text, onParsed)).toBe(false);
    expect(asked).toHaveLength(1);
    asked[0]?.end();
    await settle();
    expect(calls).toBe(1);
    expect(configs.isReady('k', text, onParsed)).toBe(true);
    expect(configs.of('k', text)).toEqual({ ok: true, value: { read: text.length } });
  });

  it('drops the answer for a text that has been replaced meanwhile', async () => {
    const { configs, asked } = setUp();
    configs.isReady('k', long('a'), () => undefined);
    configs.isReady('k', long('bb'), () => undefined);
    asked[1]?.end();
    asked[0]?.end();
    await settle();
    expect(configs.of('k', long('bb'))).toEqual({ ok: true, value: { read: long('bb').length } });
  });

  it('parses on the loop where no process can be started', async () => {
    const { configs, asked } = setUp();
    configs.isReady('k', long('a'), () => undefined);
    asked[0]?.fail();
    await settle();
    expect(configs.of('k', long('a'))).toEqual(parseServeConfig(long('a'), parseWholeYaml));
  });
});
