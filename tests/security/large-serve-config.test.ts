import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseKubernetesYaml, parseWholeYaml } from '../../packages/operator/src/kubernetes-yaml.ts';
import { ServeConfigs } from '../../packages/operator/src/observe/parsed-serve-configs.ts';
import { createYamlOffLoop, PARSE_YAML, PROCESS_FLAGS } from '../../packages/operator/src/yaml-process.ts';

const MAIN = resolve(import.meta.dirname, '../../packages/manta/src/main.ts');
/** The operator's own program, like the operator starts it. */
const COMMAND = [process.execPath, ...PROCESS_FLAGS, MAIN, 'operator', PARSE_YAML];

const parseYaml = () => {
  throw new Error('parsed on the event loop');
};

/** Reads a text like the RayService controller does; how long this thread worked, and the value. */
async function read(text: string) {
  const { promise, resolve: onParsed } = Promise.withResolvers<string>();
  const configs = new ServeConfigs({ parseYaml, offLoop: createYamlOffLoop(COMMAND), onParsed });
  const cpu = process.threadCpuUsage();
  if (configs.of('ns/svc', text).isPending) await promise;
  const { user, system } = process.threadCpuUsage(cpu);
  return { config: configs.of('ns/svc', text), cpuMs: (user + system) / 1000 };
}

/** How long this thread takes for the whole text. */
function onLoopMs(text: string): number {
  const cpu = process.threadCpuUsage();
  parseWholeYaml(text);
  const { user, system } = process.threadCpuUsage(cpu);
  return (user + system) / 1000;
}

const application = (index: number) =>
  `- name: app${index}\n  import_path: m:a\n  deployments:\n  - name: d\n    user_config: {a: [1, 2, {b: c}]}\n`;
const applications = (count: number) =>
  `applications:\n${Array.from({ length: count }, (_, index) => application(index)).join('')}`;

describe('a large serveConfigV2', () => {
  it('is parsed outside of the event loop, to the same value', async () => {
    const text = applications(2_000);
    const { config, cpuMs } = await read(text);
    expect(config.ok && config.value['applications']).toHaveLength(2_000);
    expect(cpuMs).toBeLessThan(onLoopMs(text) / 4);
  });

  it('is refused with a remedy beyond the limit', () => {
    const text = applications(20_000);
    expect(text.length).toBeGreaterThan(1_400_000);
    const offLoop = createYamlOffLoop(COMMAND);
    const configs = new ServeConfigs({ parseYaml: parseKubernetesYaml, offLoop, onParsed: () => undefined });
    expect(configs.of('ns/svc', text)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/at most 524288 .*JSON/),
    });
  });

  it('is refused with a remedy if parsing takes more memory than the container of the operator has room for', async () => {
    const { config } = await read(`[${'1,'.repeat(250_000)}]`);
    expect(config).toMatchObject({ ok: false, error: expect.stringMatching(/more than the 30 s or 160 MiB .*JSON/) });
  });

  it('of a hundred services in one namespace delays a service of another namespace by one text at most', async () => {
    const offLoop = createYamlOffLoop(COMMAND);
    const order: string[] = [];
    const { promise, resolve: victimIsParsed } = Promise.withResolvers<void>();
    const configs = new ServeConfigs({
      parseYaml,
      offLoop,
      onParsed(key) {
        order.push(key);
        if (key === 'victim/svc') victimIsParsed();
      },
    });
    const keys = Array.from({ length: 100 }, (_, index) => `attacker/svc${index}`);
    for (const key of keys) expect(configs.of(key, applications(400))).toEqual({ ok: false, isPending: true });
    configs.of('victim/svc', applications(300));
    await promise;
    for (const key of keys) configs.forget(key);
    // The first text was being parsed already; the second was the next in turn when the victim came.
    expect(order).toEqual(['attacker/svc0', 'attacker/svc1', 'victim/svc']);
  });

  it('keeps the error of a text that is no YAML', async () => {
    const { config } = await read(`${applications(1_000)}\nbroken: [`);
    expect(config).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^error converting YAML to JSON: yaml: line/),
    });
  });
});
