import type { Content } from '../client/client.ts';

/** For a non-empty list only: the end of an empty one could not be distinguished from that of the next list. */
const BEGIN = '"managedFields":[{';
/** The end of that list and the beginning of the next name, in the metadata or behind it. No string can hold this: its quote would end it. */
const END = /\}\]\}?,"[a-z]/gi;

/**
 * An object as API servers write it, read without `metadata.managedFields`: two fifths of a pod's bytes, of no use to whoever does not
 * ask for them, and dear to read for all their different names. Where they are not found for certain they are read with the rest.
 */
export function parseUnmanaged(json: string): ReturnType<JSON['parse']> {
  const begin = json.indexOf(BEGIN);
  if (begin < 0 || isInSpec(json, begin)) return JSON.parse(json);
  END.lastIndex = begin;
  const end = END.exec(json);
  if (end === null) return JSON.parse(json);
  const isLast = end[0].startsWith('}]}');
  // One comma is removed too: the one before the last member of the metadata, else the one after the member.
  const start = isLast && json[begin - 1] === ',' ? begin - 1 : begin;
  try {
    return JSON.parse(json.slice(0, start) + json.slice(end.index + (isLast ? 2 : 3)));
  } catch {
    return JSON.parse(json);
  }
}

/** Metadata comes before the spec; what a template within the spec holds is the user's. */
function isInSpec(json: string, at: number): boolean {
  const spec = json.indexOf('"spec":{');
  return spec >= 0 && spec < at;
}

/** Makes a value of JSON. */
export type Parse = (json: string) => ReturnType<JSON['parse']>;

/** Reads objects of which so much is wanted. */
export function parserFor(content: Content | undefined): Parse {
  return content === undefined || content === 'full' ? JSON.parse : parseUnmanaged;
}
