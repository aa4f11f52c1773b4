import type { YamlParser } from '@manta/api';
import { YAML_LIMITS } from '@manta/base';
import { parseDocument, type ScalarTag, type Tags, type YAMLError } from 'yaml';
import { parseJson } from './yaml-json.ts';
import { yamlNumber } from './yaml-number.ts';
import { toMaps } from './yaml-plain.ts';

/** {@link parseWholeYaml} for the event loop: a text that would block it for seconds is refused, and one that was just parsed is not parsed again. */
export const parseKubernetesYaml: YamlParser = (text) => {
  if (text.length > YAML_LIMITS.environmentBytes) return parseLong(text);
  const known = remembered.get(text);
  const value = known === undefined ? parseWholeYaml(text) : known.value;
  if (text.length > SHORT_CHARACTERS) remember(text, value);
  return value;
};

/** A text beyond the limit: only JSON is cheap enough. */
function parseLong(text: string): unknown {
  const json = parseJson(text);
  if (json?.ok === true) return toMaps(json.value);
  throw new Error(tooLong(text, YAML_LIMITS.environmentBytes));
}

/** Why a text is refused unread. */
export function tooLong({ length }: string, limit: number): string {
  return `yaml: ${length} characters, at most ${limit} are parsed: write them as JSON`;
}

/** Shorter texts are parsed within a millisecond or two. */
const SHORT_CHARACTERS = 4_096;
/** Least recently used first. Values are shared and must not be modified. */
const remembered = new Map<string, { readonly value: unknown }>();

function remember(text: string, value: unknown): void {
  remembered.delete(text);
  remembered.set(text, { value });
  for (const [oldest] of remembered) {
    if (remembered.size <= YAML_LIMITS.rememberedTexts) break;
    remembered.delete(oldest);
  }
}

/**
 * Parses YAML like Kubernetes' tools: booleans and numbers of YAML 1.1 (`yes`, `0123`, `1_000`) with the octals of 1.2 (`0o17`). Times and
 * base-60 numbers stay strings. The last of equal keys wins, and only the first document is read. Mappings are returned as `Map`s, integers
 * that a float cannot hold as `bigint`s.
 */
export const parseWholeYaml: YamlParser = (text) => {
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    customTags,
    prettyErrors: true,
    logLevel: 'error',
  });
  const error = document.errors.find(({ code }) => code !== 'MULTIPLE_DOCS');
  if (error !== undefined) throw new Error(`yaml: ${describe(error, text)}`, { cause: error });
  return valueOf(document);
};

function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ mapAsMap: true });
  } catch (error) {
    const anchor = error instanceof ReferenceError ? /: (\S+)$/.exec(error.message)?.[1] : undefined;
    if (anchor === undefined) throw error;
    throw new Error(`yaml: unknown anchor '${anchor}' referenced`, { cause: error });
  }
}

/** A scalar that may be a number; else it stays a string. */
const number: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+.\d]/,
  resolve: (text) => yamlNumber(text) ?? text,
};

/** A scalar with the tag `!!float`. */
const float: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  resolve: (text) => {
    const value = yamlNumber(text);
    return value === undefined ? text : Number(value);
  },
};

function customTags(tags: Tags): Tags {
  return [number, float, binary, ...tags.filter((tag) => typeof tag === 'string' || !isReplaced(tag))];
}

/** Bytes are read as the text that they are. */
const binary: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
};

/** Numbers are read otherwise; of what JSON does not have, times stay text, and sets and ordered mappings are plain ones. */
const REPLACED: ReadonlySet<string> = new Set(
  ['int', 'float', 'timestamp', 'binary', 'set', 'omap', 'pairs'].map((kind) => `tag:yaml.org,2002:${kind}`),
);

function isReplaced({ tag }: { readonly tag: string }): boolean {
  return REPLACED.has(tag);
}

/** An error message of the parser. */
interface Words {
  readonly words: string;
  /** Scanner errors name their line; parser errors name the line before. The first line is not named. */
  readonly isOfLetters: boolean;
}

/** Go's messages for the most frequent mistakes, which users know. */
const KNOWN: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_SCALAR_START: 'found character that cannot start any token',
  BAD_DQ_ESCAPE: 'found unknown escape character',
};

function describe({ code, message, pos: [start] }: YAMLError, text: string): string {
  const { words, isOfLetters } = wordsOf(code, message);
  // The parser recognises a key that spans several lines only at its colon.
  const colon = code === 'BLOCK_AS_IMPLICIT_KEY' ? Math.max(0, text.slice(start).search(/:\s/)) : 0;
  const before = text.slice(0, start + colon).split('\n').length - 1;
  return `${before > 0 ? `line ${before + (isOfLetters ? 1 : 0)}: ` : ''}${words}`;
}

function wordsOf(code: YAMLError['code'], message: string): Words {
  const known = KNOWN[code] ?? missing(code, message);
  if (known !== undefined) return { words: known, isOfLetters: true };
  return { words: flowEnd(message) ?? (message.split(' at line ')[0] || 'not YAML'), isOfLetters: false };
}

/** A quote that does not end, or a key without a colon. */
function missing(code: YAMLError['code'], message: string): string | undefined {
  if (code !== 'MISSING_CHAR') return undefined;
  if (message.startsWith('Missing closing')) return 'found unexpected end of stream';
  return message.startsWith('Implicit map keys') ? "could not find expected ':'" : undefined;
}

/** A list or mapping in brackets that does not end. */
function flowEnd(message: string): string | undefined {
  const bracket = /^Flow .* end with a ([\]}])/.exec(message)?.[1];
  return bracket === undefined ? undefined : `did not find expected ',' or '${bracket}'`;
}
