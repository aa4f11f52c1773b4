import type { ReadingBytes } from '../answer-ledger.ts';
import type { RayClock } from '../clock.ts';
import type { RaySend } from '../transport.ts';
import type { AnswerNote } from './contract.ts';
import type { PauseRule } from './breaker.ts';
import type { CommandGate } from './command-gate.ts';
import type { Entry } from './entry.ts';
import type { KeptConfigs } from './kept-configs.ts';
import type { Pace } from './pace.ts';
import type { Slots } from './slots.ts';

/** What the parts of a poller share. */
export interface PollerWorld extends PauseRule {
  readonly clock: RayClock;
  readonly send: RaySend;
  readonly questionTimeoutMs: number;
  readonly commandTimeoutMs: number;
  readonly slots: Slots;
  readonly pace: Pace;
  readonly reading: ReadingBytes;
  readonly kept: KeptConfigs;
  readonly gate: CommandGate;
  /** Counts the work that an answer caused. */
  readonly note: (answer: AnswerNote) => void;
  /** Aborted when the poller is closed. */
  readonly signal: AbortSignal;
  /** There is news for an owner. */
  readonly tell: (owner: string) => void;
  /** An owner's interest in an entry has expired. */
  readonly lapsed: (owner: string, entry: Entry) => void;
}
