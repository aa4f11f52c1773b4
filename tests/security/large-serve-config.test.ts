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
  const configs = new ServeConfigs(parseYaml, createYamlOffLoop(COMMAND));
  const cpu = process.threadCpuUsage();
  await new Promise<void>((parsed) => {
    if (configs.isReady('ns/svc', text, parsed)) parsed();
  });
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
    const configs = new ServeConfigs(parseKubernetesYaml, createYamlOffLoop(COMMAND));
    expect(configs.isReady('ns/svc', text, () => undefined)).toBe(true);
    expect(configs.of('ns/svc', text)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/at most 524288 .*JSON/),
    });
  });

  it('is refused with a remedy if parsing takes more memory than the container of the operator has room for', async () => {
    const { config } = await read(`[${'1,'.repeat(250_000)}]`);
    expect(config).toMatchObject({ ok: false, error: expect.stringMatching(/more than the 60 s or 160 MiB .*JSON/) });
  });

  it('keeps the error of a text that is no YAML', async () => {
    const { config } = await read(`${applications(1_000)}\nbroken: [`);
    expect(config).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^error converting YAML to JSON: yaml: line/),
    });
  });
});
