import type { CliWorld } from '../world.ts';
import { fitLine } from './fit-line.ts';
import { ENTER, frameDiff, LEAVE } from './frame-diff.ts';

/** A view that is drawn again and again until it is closed. */
export interface LiveView {
  /** Draws the view. Without a terminal, prints the lines if they changed. */
  show(lines: readonly string[]): void;
  /** Restores the terminal and leaves the last view in it. */
  close(): void;
}

const FALLBACK_COLUMNS = 80;
const FALLBACK_ROWS = 24;

/**
 * Opens a live view on standard output. On a terminal it takes the alternate screen, writes only lines that changed, cuts lines at the
 * right edge, and draws again on a resize. Without a terminal, each changed view is printed as plain lines below the former one.
 */
export function openLiveView({ stdout }: Pick<CliWorld, 'stdout'>): LiveView {
  return stdout.isTTY === true ? onTerminal(stdout) : asPlainLines(stdout);
}

function onTerminal(stdout: CliWorld['stdout']): LiveView {
  let lines: readonly string[] = [];
  let frame: readonly string[] | undefined;
  const draw = () => {
    const next = frameOf(lines, stdout.columns ?? FALLBACK_COLUMNS, stdout.rows ?? FALLBACK_ROWS);
    const changes = frameDiff(frame, next);
    if (changes !== '') stdout.write(changes);
    frame = next;
  };
  const onResize = () => {
    frame = undefined;
    draw();
  };
  let isClosed = false;
  // A process that ends without `close` must not leave the terminal without its cursor.
  const restore = () => void stdout.write(LEAVE);
  stdout.write(ENTER);
  stdout.on('resize', onResize);
  process.once('exit', restore);
  return {
    show: (next) => {
      lines = next;
      if (!isClosed) draw();
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      stdout.off('resize', onResize);
      process.off('exit', restore);
      restore();
      if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`);
    },
  };
}

/** The lines that fit the terminal; what does not is counted in the last line. */
function frameOf(lines: readonly string[], columns: number, rows: number): readonly string[] {
  const hidden = lines.length - rows;
  const shown = hidden > 0 ? [...lines.slice(0, rows - 1), `… ${hidden + 1} more lines`] : lines;
  return shown.map((line) => fitLine(line, columns));
}

function asPlainLines(stdout: CliWorld['stdout']): LiveView {
  let printed: string | undefined;
  return {
    show: (lines) => {
      const text = lines.join('\n');
      if (text === printed) return;
      stdout.write(`${printed === undefined ? '' : '\n'}${text}\n`);
      printed = text;
    },
    close: () => undefined,
  };
}
