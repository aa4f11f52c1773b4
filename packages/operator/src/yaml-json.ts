import type { Parsed } from '@manta/api';

/**
 * Parses YAML that is JSON, a hundred times faster than the YAML parser. Undefined for text that is not a JSON object, or that YAML would
 * parse differently: numbers beyond a float are strings there.
 */
export function parseJson(text: string): Parsed<unknown> | undefined {
  if (!/^\s*\{/.test(text) || /\d[eE]\+?\d{3}/.test(text)) return undefined;
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
