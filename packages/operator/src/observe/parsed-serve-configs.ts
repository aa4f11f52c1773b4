import { isRecord, type Parsed, type YamlParser } from '@manta/api';
import { YAML_LIMITS } from '@manta/base';
import type { ParsedServeConfig } from '@manta/plan';
import { namespaceOf, type ObjectKey } from '@manta/runtime';
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

/** The parsed `serveConfigV2` of each service: texts may be long, and change seldom. */
export class ServeConfigs {
  readonly #options: ServeConfigsOptions;
  readonly #known = new Map<ObjectKey, { readonly text: string; readonly config: ParsedServeConfig }>();
  /** Texts that are being parsed off the loop. */
  readonly #underWay = new Map<ObjectKey, { readonly text: string; readonly abort: AbortController }>();

  constructor(options: ServeConfigsOptions) {
    this.#options = options;
  }

  /** The parsed text, at once. A long text is being parsed off the loop for a while: until `onParsed`, its configuration is pending. */
  of(key: ObjectKey, text: string): ParsedServeConfig {
    const known = this.#known.get(key);
    if (known?.text === text) return known.config;
    const { parseYaml, offLoop } = this.#options;
    if (offLoop !== undefined && isLong(text)) {
      this.#start(offLoop, key, text);
      return PENDING;
    }
    const config = parseServeConfig(text, parseYaml);
    this.#stop(key);
    this.#known.set(key, { text, config });
    return config;
  }

  forget(key: ObjectKey): void {
    this.#known.delete(key);
    this.#stop(key);
  }

  #start(offLoop: YamlOffLoop, key: ObjectKey, text: string): void {
    if (this.#underWay.get(key)?.text === text) return;
    this.#stop(key);
    const abort = new AbortController();
    this.#underWay.set(key, { text, abort });
    void this.#parse(offLoop, key, text, abort.signal);
  }

  /** A text that was replaced, or whose service was deleted, need not be parsed to its end. */
  #stop(key: ObjectKey): void {
    this.#underWay.get(key)?.abort.abort(new Error('this text is no longer wanted'));
    this.#underWay.delete(key);
  }

  async #parse(offLoop: YamlOffLoop, key: ObjectKey, text: string, signal: AbortSignal): Promise<void> {
    const { parseYaml, onParsed } = this.#options;
    const parsed = await offLoop(text, { namespace: namespaceOf(key) ?? '', signal }).catch(() => undefined);
    if (signal.aborted) return;
    this.#underWay.delete(key);
    // If no process can be started, the text is parsed on the loop after all.
    this.#known.set(key, { text, config: parsed === undefined ? parseServeConfig(text, parseYaml) : configOf(parsed) });
    onParsed(key);
  }
}

export interface ServeConfigsOptions {
  readonly parseYaml: YamlParser;
  /** Absent: long texts are parsed on the event loop. */
  readonly offLoop?: YamlOffLoop | undefined;
  /** Called when a configuration is no longer pending. */
  readonly onParsed: (key: ObjectKey) => void;
}

const PENDING: ParsedServeConfig = { ok: false, isPending: true };

/** Too long for the event loop. JSON is parsed fast, and a text beyond the limit is refused unread. */
function isLong(text: string): boolean {
  return text.length > YAML_LIMITS.onLoopBytes && text.length <= YAML_LIMITS.bytes && parseJson(text) === undefined;
}
