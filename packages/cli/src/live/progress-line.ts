import type { Clock } from '@manta/kube';
import type { CliWorld } from '../world.ts';
import { fitLine } from './fit-line.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 120;
const CLEAR = '\r\u001B[K';

/** One line on standard error that says what a command waits for. */
export interface ProgressLine {
  /** Replaces the text. Without a terminal, prints it as a line if it changed. */
  update(text: string): void;
  /** Clears the line, so that other output can follow. Calling `update` again brings it back. */
  clear(): void;
}

/** Opens a progress line: it moves on a terminal, and is plain lines elsewhere. `clear` must be called before any other output. */
export function openProgressLine({ stderr, clock }: Pick<CliWorld, 'stderr' | 'clock'>): ProgressLine {
  if (stderr.isTTY !== true) return plainProgress(stderr);
  return movingProgress(stderr, clock);
}

function movingProgress(stderr: CliWorld['stderr'], clock: Clock): ProgressLine {
  let text = '';
  let frame = 0;
  let cancel: (() => void) | undefined;
  const draw = () => {
    const line = `${FRAMES[frame++ % FRAMES.length]} ${text}`;
    stderr.write(`${CLEAR}${fitLine(line, (stderr.columns ?? 80) - 1)}`);
    cancel = clock.setTimer(FRAME_MS, draw);
  };
  return {
    update: (next) => {
      text = next;
      cancel?.();
      draw();
    },
    clear: () => {
      if (cancel === undefined) return;
      cancel();
      cancel = undefined;
      stderr.write(CLEAR);
    },
  };
}

function plainProgress(stderr: CliWorld['stderr']): ProgressLine {
  let printed: string | undefined;
  return {
    update: (text) => {
      if (text !== printed) stderr.write(`${text}\n`);
      printed = text;
    },
    clear: () => undefined,
  };
}
