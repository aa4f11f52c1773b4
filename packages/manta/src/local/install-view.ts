import type { InstallProgress } from './pip-progress.ts';

/** Shows an installation to whoever waits for it. */
export interface InstallView {
  /** Says a line that stays. */
  say(line: string): void;
  progress(progress: InstallProgress): void;
  /** Takes away what does not stay. */
  close(): void;
}

export interface InstallViewOptions {
  /** Writes a line that stays. */
  readonly line: (text: string) => void;
  /** Writes as it is, where one line can be drawn again and again; undefined where it cannot: into a log, for one. */
  readonly draw: ((text: string) => void) | undefined;
  /** How wide that line may be. */
  readonly columns?: () => number;
  readonly nowMs?: () => number;
}

/** How often a log gets a line. */
const PLAIN_MS = 10_000;
/** What pip fetches for Ray, about. */
const FETCHED_BYTES = 120_000_000;
/** Which part of the whole the fetching is, about. */
const FETCHING = 0.6;
const BAR_WIDTH = 24;
const CLEAR = '\r\u001b[K';

/** A bar that is drawn again where that is possible, a plain line now and then where it is not. */
export function createInstallView(options: InstallViewOptions): InstallView {
  const { line, draw, columns = () => 80, nowMs = () => performance.now() } = options;
  const startMs = nowMs();
  let isDrawn = false;
  let saidMs = startMs;
  const close = () => {
    if (isDrawn) draw?.(CLEAR);
    isDrawn = false;
  };
  return {
    say(text) {
      close();
      line(text);
    },
    progress(progress) {
      const now = nowMs();
      const told = describe(progress, (now - startMs) / 1000);
      if (draw !== undefined) {
        draw(`\r${`${bar(fractionOf(progress))} ${told}`.slice(0, Math.max(0, columns() - 1))}\u001b[K`);
        isDrawn = true;
      } else if (now - saidMs >= PLAIN_MS) {
        saidMs = now;
        line(`installing Ray: ${told}`);
      }
    },
    close,
  };
}

/** Whether a line can be drawn again and again there: a terminal that somebody looks at, and that was not asked to be plain. */
export function canDraw(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && !env['NO_COLOR'] && !env['CI'] && env['TERM'] !== 'dumb';
}

function fractionOf(progress: InstallProgress): number {
  if (progress.step === 'download') return FETCHING * Math.min(1, progress.bytes / FETCHED_BYTES);
  return FETCHING + (1 - FETCHING) * Math.min(1, progress.done / Math.max(1, progress.of));
}

function describe(progress: InstallProgress, seconds: number): string {
  const percent = `${Math.floor(fractionOf(progress) * 100)} %`.padStart(5);
  const what =
    progress.step === 'download'
      ? `${megabytes(progress.bytes)} of about ${megabytes(FETCHED_BYTES)} MB fetched, ${progress.packages} packages`
      : `${progress.done} of ${progress.of} packages unpacked`;
  return `${percent}  ${what}, ${Math.floor(seconds)} s`;
}

function bar(fraction: number): string {
  const done = Math.round(fraction * BAR_WIDTH);
  return `[${'#'.repeat(done)}${'-'.repeat(BAR_WIDTH - done)}]`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
