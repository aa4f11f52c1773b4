import { TooDeepError } from './nesting.ts';

/** The error in a JSON text with the message of Go's parser, as far as the position of our error allows. */
export function jsonProblem(text: string, error: unknown): string {
  if (error instanceof TooDeepError) return error.message;
  if (/^\s*$/.test(text) || isCutOff(error)) return 'unexpected end of JSON input';
  const position = positionOf(text, error);
  if (position >= text.trimEnd().length) return 'unexpected end of JSON input';
  const char = text.charAt(position) || text.trimStart().charAt(0);
  const looking =
    position <= text.length - text.trimStart().length
      ? 'looking for beginning of value'
      : 'after object key:value pair';
  return `invalid character '${char}' ${looking}`;
}

function isCutOff(error: unknown): boolean {
  return error instanceof Error && /end of JSON input|Unterminated/.test(error.message);
}

function positionOf(text: string, error: unknown): number {
  const match = error instanceof Error ? /position (\d+)/.exec(error.message) : null;
  return match === null ? text.length - text.trimStart().length : Number(match[1]);
}
