import { isRecord, type YamlParser } from '@manta/api';
import type { ServeConfig } from '@manta/plan';

/** Reads a service's `serveConfigV2`; an empty one is an empty configuration. */
export function parseServeConfig(text: string, parseYaml: YamlParser): ServeConfig {
  let value: unknown;
  try {
    value = plain(parseYaml(text));
  } catch (error) {
    return {
      ok: false,
      error: `error converting YAML to JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  if (value === undefined || value === null) return { ok: true, value: {} };
  if (isRecord(value)) return { ok: true, value };
  return {
    ok: false,
    error: `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`,
  };
}

/** Mappings as objects; keys of other kinds become text, and numbers are as exact as a float is, as in JSON. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (typeof value === 'bigint') return Number(value);
  return Array.isArray(value) ? value.map(plain) : value;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** Keeps what was read of each service: texts may be long, and change seldom. */
export class ServeConfigs {
  readonly #parseYaml: YamlParser;
  readonly #known = new Map<string, { readonly text: string; readonly config: ServeConfig }>();

  constructor(parseYaml: YamlParser) {
    this.#parseYaml = parseYaml;
  }

  of(key: string, text: string): ServeConfig {
    const known = this.#known.get(key);
    if (known?.text === text) return known.config;
    const config = parseServeConfig(text, this.#parseYaml);
    this.#known.set(key, { text, config });
    return config;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
