import { isRecord, type Parsed, parsed, runtimeEnvProblem, unparsed, type YamlParser } from '@manta/api';

/**
 * A job's runtime environment as Ray takes it; empty text is none. What is wrong with the text is said as validation says it. Whole numbers
 * that a float cannot hold are `bigint`s.
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

/** The value with mappings as objects: their keys become texts. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]));
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}
