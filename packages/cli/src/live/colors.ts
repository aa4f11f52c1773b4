import { styleText } from 'node:util';
import type { CliWorld } from '../world.ts';

type Format = Parameters<typeof styleText>[0];

/** Colours a text, or returns it unchanged where colours are off. */
export type Paint = (format: Format, text: string) => string;

/**
 * Colours for one stream: off without a terminal, with `--no-color`, with NO_COLOR set to anything, and with TERM=dumb. FORCE_COLOR turns
 * them on without a terminal.
 */
export function paintFor(
  { env }: Pick<CliWorld, 'env'>,
  stream: { readonly isTTY?: boolean },
  flags: { readonly color: boolean },
): Paint {
  return hasColor(env, stream, flags)
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
}

function hasColor(
  env: CliWorld['env'],
  { isTTY }: { readonly isTTY?: boolean },
  flags: { readonly color: boolean },
): boolean {
  if (!flags.color || (env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'] ?? '';
  if (forced !== '' && forced !== '0') return true;
  return isTTY === true && env['TERM'] !== 'dumb';
}
