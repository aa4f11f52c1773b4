import { API_SERVER_LIMITS } from '@manta/base';

/** A text nests deeper than recursive code can follow. */
export class TooDeepError extends Error {
  override readonly name = 'TooDeepError';
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Throws where a JSON text nests objects and lists too deeply. The text need not be valid. */
export function requireFlat(text: string, limit: number = API_SERVER_LIMITS.bodyDepth): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > limit) throw new TooDeepError(`exceeded max depth: the body nests more than ${limit} levels`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      default:
    }
  }
}

/** Where the string that begins at `at` ends. */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end);
    if (char === BACKSLASH) end += 1;
    else if (char === QUOTE) return end;
  }
  return end;
}
