import type { YamlParser } from '@manta/api';
import { parseDocument, type ScalarTag, type Tags, type YAMLError } from 'yaml';

/**
 * Reads YAML as Kubernetes' own tools do: the words and numbers of YAML 1.1 (`yes`, `0123`, `1_000`) with the octals of 1.2 (`0o17`), but
 * neither times nor base-60 numbers, which stay text; of equal keys the last wins. Mappings come back as `Map`s.
 */
export const parseKubernetesYaml: YamlParser = (text) => {
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    customTags,
    prettyErrors: true,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`yaml: ${describe(error)}`, { cause: error });
  return document.toJS({ mapAsMap: true });
};

/** The octals of YAML 1.2. */
const octal: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text) => {
    const digits = Number.parseInt(text.replace(/^[-+]?0o/, '').replaceAll('_', ''), 8);
    return text.startsWith('-') ? -digits : digits;
  },
};

function customTags(tags: Tags): Tags {
  return [...tags.filter((tag) => typeof tag === 'string' || !isTime(tag)), octal];
}

function isTime(tag: { readonly tag: string; readonly format?: string }): boolean {
  return tag.format === 'TIME' || tag.tag === 'tag:yaml.org,2002:timestamp';
}

/** The words that users know for what goes wrong most often. */
const KNOWN: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  TAB_AS_INDENT: 'found character that cannot start any token',
};

/** Lines are counted from 0 and the first one is not named, as the peer counts them. */
function describe({ code, message, linePos }: YAMLError): string {
  const line = (linePos?.[0].line ?? 1) - 1;
  return `${line > 0 ? `line ${line}: ` : ''}${KNOWN[code] ?? flowEnd(message) ?? (message.split(' at line ')[0] || 'not YAML')}`;
}

/** A list or mapping in brackets that does not end. */
function flowEnd(message: string): string | undefined {
  const bracket = /^Flow .* end with a ([\]}])/.exec(message)?.[1];
  return bracket === undefined ? undefined : `did not find expected ',' or '${bracket}'`;
}
