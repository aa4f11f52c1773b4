import type { Parsed } from '@manta/api';

/**
 * Parses YAML that is JSON, a hundred times faster than the YAML parser. Undefined for text that is not a JSON object, or that reads otherwise as
 * YAML: numbers beyond a float are words there.
 */
export function parseJson(text: string): Parsed<unknown> | undefined {
  if (!/^\s*\{/.test(text) || /\d[eE]\+?\d{3}/.test(text)) return undefined;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
