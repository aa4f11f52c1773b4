import type { AnswerLedger } from '../answer-ledger.ts';
import type { RayCallError, RayCallFailure } from '../call-error.ts';
import type { Question } from '../question.ts';
import type { Answer, Interest } from './contract.ts';
import { longestPause, pauseAfter } from './breaker.ts';
import { answerSince, fail, hear, isNews, type Knowledge, knownAt } from './knowledge.ts';
import type { PollerWorld } from './poller-world.ts';

interface Wish {
  readonly everyMs: number;
  readonly newerThan: number;
  readonly until: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
const DEFAULT_INTEREST_MS = 10 * 60_000;
/** The beat to reckon with when the last interest ended while a call was under way. */
const IDLE_BEAT_MS = 1_000;
/** Longer waits are split: no timer need hold a delay beyond what timers can. */
const LONGEST_WAIT_MS = 60 * 60_000;
/** How long an answer without interested owners is kept. */
const KEPT_MS = 60_000;

const NO_COST = { bytesRead: 0, bytesParsed: 0 } as const;
const OUTCOMES: Readonly<Partial<Record<string, 'refused' | 'failed'>>> = {
  'too-big': 'refused',
  unreachable: 'failed',
  timeout: 'failed',
  status: 'failed',
  unreadable: 'failed',
  refused: 'failed',
};

/** What an entry needs of the head that it belongs to. */
export interface EntryHost {
  /** The entry is due: ask the head, now or as soon as it may be asked. */
  due(entry: Entry): void;
  /** No owner has been interested for a while. */
  unwanted(entry: Entry): void;
}

/** One question to one head: who wants to know, what is known, and when it is asked next. */
export class Entry {
  readonly question: Question;
  /** Remembers the last answer, and what reading it cost. */
  readonly ledger: AnswerLedger;
  readonly #world: PollerWorld;
  readonly #host: EntryHost;
  readonly #wishes = new Map<string, Wish>();
  #knowledge: Knowledge = {};
  #staleUntil = NEVER;
  #failures = 0;
  /** Idle entries have a timer; the others are with their host. */
  #isIdle = true;
  /** After a failure: not before this. */
  #pausedUntil = NEVER;
  #endedAt = NEVER;
  #jitter = 1;
  #cancelTimer = () => {};

  constructor(question: Question, world: PollerWorld, host: EntryHost) {
    this.question = question;
    this.#world = world;
    this.#host = host;
    this.ledger = {
      last: undefined,
      cost: { bytesRead: 0, bytesParsed: 0 },
      mayKeep: (bytes) => question.kind !== 'serve' || world.kept.mayKeep(this, bytes),
    };
  }

  /** Counts what the last answer cost: a question with expensive answers is asked less often. */
  charge(end: 'answered' | RayCallFailure): void {
    const { bytesRead, bytesParsed } = this.ledger.cost;
    const isRead = end === 'answered' || end === 'unreadable' || end === 'too-big';
    const outcome = OUTCOMES[end] ?? (bytesParsed > 0 || bytesRead === 0 ? 'parsed' : 'unchanged');
    this.#world.pace.spend(this, isRead ? this.ledger.cost : NO_COST);
    this.#world.note({ question: this.question.kind, outcome, ...(isRead ? this.ledger.cost : NO_COST) });
  }

  /** Renews an interest and gives the answer for it. */
  want(interest: Interest): Answer<unknown> {
    const now = this.#world.clock.now();
    const { owner, everyMs, newerThan = NEVER, forMs = DEFAULT_INTEREST_MS } = interest;
    this.#wishes.set(owner, { everyMs, newerThan, until: now + forMs });
    if (this.#isIdle) this.#plan();
    return answerSince(this.#knowledge, Math.max(newerThan, this.#staleUntil));
  }

  /** Ends an interest. */
  unwant(owner: string): void {
    if (this.#wishes.delete(owner) && this.#isIdle) this.#plan();
  }

  /** Earlier requests no longer count: asks again at once. */
  outdate(): void {
    this.#staleUntil = this.#world.clock.now();
    this.#failures = 0;
    if (this.#isIdle) this.#plan();
  }

  /** The head answered a call that was sent at `at`. */
  heard(value: unknown, at: number): void {
    this.#failures = 0;
    if (this.question.kind === 'job') this.#world.pace.join(this);
    else this.#world.pace.leave(this);
    this.#learn(hear(value, at));
    this.#rest();
  }

  /** A call that was sent at `at` failed. Leaves the entry idle until `notBefore` at least. */
  failed(error: RayCallError, at: number, notBefore = NEVER): void {
    this.#failures += 1;
    // A head that is left alone is tried once for all of its questions.
    if (notBefore === NEVER) this.#world.pace.fail(this);
    else this.#world.pace.leave(this);
    this.#learn(fail(this.#knowledge, error, at));
    this.#rest(notBefore);
  }

  /** The head is back: no need to wait for the end of a pause. */
  hurry(): void {
    if (!this.#isIdle || this.#failures === 0) return;
    this.#pausedUntil = this.#world.clock.now();
    this.#plan();
  }

  /** Takes over what is known of a head that is away, before it is asked for the first time. */
  presume(error: RayCallError, at: number, since: number, notBefore: number): void {
    this.#knowledge = fail(this.#knowledge, error, at, since);
    this.#failures = 1;
    this.#pausedUntil = notBefore;
    this.#endedAt = at;
  }

  /** No more timers. */
  stop(): void {
    this.#cancelTimer();
    this.#isIdle = false;
    this.#wishes.clear();
    this.#forget();
  }

  /** Ends the entry and releases its shared resources. */
  #forget(): void {
    this.#world.pace.leave(this);
    this.#world.pace.spend(this, NO_COST);
    this.#world.kept.drop(this);
  }

  #learn(after: Knowledge): void {
    const before = this.#knowledge;
    this.#knowledge = after;
    const at = knownAt(after);
    const isChanged = isNews(before, after);
    for (const [owner, wish] of this.#wishes) {
      const moment = Math.max(wish.newerThan, this.#staleUntil);
      if (isChanged || (at > moment && knownAt(before) <= moment)) this.#world.tell(owner);
    }
  }

  /** Back from its host: idle until the next beat, or until the pause after a failure is over. */
  #rest(notBefore = NEVER): void {
    const { clock, random } = this.#world;
    this.#endedAt = clock.now();
    this.#jitter = 0.9 + 0.2 * random();
    const error = this.#knowledge.failure?.error;
    if (this.#failures > 0 && error !== undefined) {
      const pause = pauseAfter(this.#world, this.#everyMs(), this.#failures, error);
      this.#pausedUntil = Math.max(notBefore, this.#endedAt + pause);
    }
    this.#isIdle = true;
    this.#plan();
  }

  /** Asks when it is time; else sets the timer for whatever comes first: the next call, or the end of an interest. */
  #plan(): void {
    this.#cancelTimer();
    const { clock } = this.#world;
    const now = clock.now();
    this.#heedClock(now);
    if (this.#wishes.size === 0) {
      this.#world.pace.leave(this);
      this.#cancelTimer = clock.setTimer(KEPT_MS, () => {
        this.#forget();
        this.#host.unwanted(this);
      });
      return;
    }
    // However urgent a new answer is: a head must not make itself be asked for what is expensive to read.
    const restedAt = this.#endedAt + this.#world.pace.restMs(this);
    const dueAt = Math.max(Math.min(this.#nextCall(), this.#soonest()), restedAt);
    if (dueAt <= now) {
      this.#isIdle = false;
      this.#host.due(this);
      return;
    }
    const lapse = Math.min(...[...this.#wishes.values()].map((wish) => wish.until));
    const wait = Math.min(dueAt - now, lapse - now, LONGEST_WAIT_MS);
    this.#cancelTimer = clock.setTimer(Math.max(0, wait), () => this.#wake());
  }

  /** A clock that was set back must not make us wait for the time to come round again. */
  #heedClock(now: number): void {
    this.#endedAt = Math.min(this.#endedAt, now);
    this.#staleUntil = Math.min(this.#staleUntil, now);
    this.#pausedUntil = Math.min(this.#pausedUntil, now + longestPause(this.#world, this.#everyMs()));
  }

  /** The shortest interval of all interests. */
  #everyMs(): number {
    if (this.#wishes.size === 0) return IDLE_BEAT_MS;
    return Math.min(...[...this.#wishes.values()].map((wish) => wish.everyMs));
  }

  /** That beat, slower where very many jobs are asked after. */
  #beatMs(): number {
    const everyMs = this.#everyMs();
    return this.question.kind === 'job' ? Math.max(everyMs, this.#world.pace.shortestMs) : everyMs;
  }

  /** By the beat, or after the pause of a failure. */
  #nextCall(): number {
    return this.#failures > 0 ? this.#pausedUntil : this.#endedAt + this.#beatMs() * this.#jitter;
  }

  /** The time of the next request: as soon as the last answer is too old for an owner. */
  #soonest(): number {
    const at = knownAt(this.#knowledge);
    const moments = [this.#staleUntil, ...[...this.#wishes.values()].map((wish) => wish.newerThan)];
    const missed = moments.filter((moment) => at <= moment && moment !== NEVER);
    return missed.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...missed) + 1;
  }

  #wake(): void {
    const now = this.#world.clock.now();
    for (const [owner, wish] of this.#wishes) {
      if (wish.until > now) continue;
      this.#wishes.delete(owner);
      this.#world.lapsed(owner, this);
    }
    this.#plan();
  }
}
