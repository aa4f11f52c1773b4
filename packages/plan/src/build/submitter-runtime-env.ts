import { isRecord, type Parsed, parsed, runtimeEnvProblem, unparsed, type YamlParser } from '@manta/api';

/**
 * A job's parsed runtime environment; an empty text gives none. The error is the same as in validation. Integers that a float cannot hold are
 * `bigint`s.
 */
export function readRuntimeEnv(
  text: string | undefined,
  parseYaml: YamlParser,
): Parsed<Readonly<Record<string, unknown>> | undefined> {
  if (text === undefined || text === '') return parsed(undefined);
  const problem = runtimeEnvProblem(text, parseYaml);
  if (problem !== undefined) return unparsed(problem);
  const value = plain(parseYaml(text));
  return parsed(isRecord(value) ? value : {});
}

/** The value with mappings as objects; keys become strings. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}
