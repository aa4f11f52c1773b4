import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { ProcessEnd } from '../sandbox/sandbox.ts';

/** Tells once how a process ended: also when it could not be started, which counts as a missing command. */
export function onEndOf(child: ChildProcess, tell: (end: ProcessEnd) => void): void {
  let isTold = false;
  const end = (how: ProcessEnd) => {
    if (isTold) return;
    isTold = true;
    tell(how);
  };
  child.once('error', () => end({ code: 127 }));
  child.once('close', (code, signal) =>
    end(signal === null ? { code: code ?? 0 } : { code: 128 + constants.signals[signal], signal }),
  );
}
