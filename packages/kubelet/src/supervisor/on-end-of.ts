import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { ProcessEnd } from '../sandbox/sandbox.ts';

/** Calls back once with a process's exit; a failed start counts as a missing command. */
export function onEndOf(child: ChildProcess, tell: (end: ProcessEnd) => void): void {
  let isReported = false;
  const end = (how: ProcessEnd) => {
    if (isReported) return;
    isReported = true;
    tell(how);
  };
  child.once('error', () => end({ code: 127 }));
  child.once('close', (code, signal) =>
    end(signal === null ? { code: code ?? 0 } : { code: 128 + constants.signals[signal], signal }),
  );
}
