import { isRecord, type Parsed, type YamlParser } from '@manta/api';
import { YAML_LIMITS } from '@manta/base';
import type { ParsedServeConfig } from '@manta/plan';
import { tooLong } from '../kubernetes-yaml.ts';
import { parseJson } from '../yaml-json.ts';
import { toPlain } from '../yaml-plain.ts';
import type { YamlOffLoop } from '../yaml-process.ts';

/** Reads a service's `serveConfigV2`; an empty one is an empty configuration. */
export function parseServeConfig(text: string, parseYaml: YamlParser): ParsedServeConfig {
  return configOf(parseJson(text) ?? parsePlain(text, parseYaml));
}

function parsePlain(text: string, parseYaml: YamlParser): Parsed<unknown> {
  if (text.length > YAML_LIMITS.bytes) return { ok: false, error: tooLong(text, YAML_LIMITS.bytes) };
  try {
    return { ok: true, value: toPlain(parseYaml(text)) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function configOf(parsed: Parsed<unknown>): ParsedServeConfig {
  if (!parsed.ok) return { ok: false, error: `error converting YAML to JSON: ${parsed.error}` };
  const { value } = parsed;
  if (value === undefined || value === null) return { ok: true, value: {} };
  if (isRecord(value)) return { ok: true, value };
  return {
    ok: false,
    error: `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`,
  };
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Keeps what was read of each service: texts may be long, and change seldom. */
export class ServeConfigs {
  readonly #parseYaml: YamlParser;
  readonly #offLoop: YamlOffLoop | undefined;
  readonly #known = new Map<string, { readonly text: string; readonly config: ParsedServeConfig }>();
  /** Texts that are being parsed off the loop. */
  readonly #underWay = new Map<string, string>();

  /** Without `offLoop` long texts are parsed on the event loop. */
  constructor(parseYaml: YamlParser, offLoop?: YamlOffLoop) {
    this.#parseYaml = parseYaml;
    this.#offLoop = offLoop;
  }

  /**
   * Whether {@link of} answers at once. If not, the text is being parsed off the loop, and `onParsed` is called when that is over: a
   * reconcile waits for nothing.
   */
  isReady(key: string, text: string, onParsed: () => void): boolean {
    if (this.#known.get(key)?.text === text) return true;
    const isShort = text.length <= YAML_LIMITS.onLoopBytes || text.length > YAML_LIMITS.bytes;
    if (this.#offLoop === undefined || isShort || parseJson(text) !== undefined) return true;
    if (this.#underWay.get(key) === text) return false;
    this.#underWay.set(key, text);
    void this.#parseOffLoop(this.#offLoop, key, text).then(onParsed);
    return false;
  }

  of(key: string, text: string): ParsedServeConfig {
    const known = this.#known.get(key);
    if (known?.text === text) return known.config;
    const config = parseServeConfig(text, this.#parseYaml);
    this.#known.set(key, { text, config });
    return config;
  }

  forget(key: string): void {
    this.#known.delete(key);
    this.#underWay.delete(key);
  }

  async #parseOffLoop(offLoop: YamlOffLoop, key: string, text: string): Promise<void> {
    // Where no process can be started, the text is parsed on the loop after all.
    const config = await offLoop(text).then(configOf, () => parseServeConfig(text, this.#parseYaml));
    // A newer text has taken its place, or the service was deleted.
    if (this.#underWay.get(key) !== text) return;
    this.#underWay.delete(key);
    this.#known.set(key, { text, config });
  }
}
