import { messageOf } from '@manta/base';
import type { AnswerLedger } from '../answer-ledger.ts';
import { RayCallError } from '../call-error.ts';
import type { Command, CommandOutcome } from '../command.ts';
import type { RayHead } from '../head.ts';
import type { Question } from '../question.ts';
import { createRayClient, type RayClient } from '../ray-client.ts';
import { askHead, tellHead, touches } from './ask-head.ts';
import { Breaker, isHeadAway } from './breaker.ts';
import type { Answer, Interest } from './contract.ts';
import { Entry } from './entry.ts';
import { Lane } from './lane.ts';
import type { PollerWorld } from './poller-world.ts';

/** What one command came to. */
export type CommandEnd = { readonly outcome: CommandOutcome } | { readonly error: RayCallError };

const QUESTIONS_AT_ONCE = 2;
const COMMANDS_AT_ONCE = 2;

/** One life of one head: its questions, its commands, and whether it answers at all. */
export class HeadState {
  readonly url: string;
  readonly session: string;
  readonly #world: PollerWorld;
  readonly #onEmpty: (state: HeadState) => void;
  readonly #breaker = new Breaker();
  readonly #entries = new Map<string, Entry>();
  readonly #due = new Set<Entry>();
  readonly #commands = new Lane(COMMANDS_AT_ONCE, () => this.#leaveIfEmpty());
  #token: string | undefined;
  #underWay = 0;
  #cancelRetry = () => {};

  constructor(head: RayHead, world: PollerWorld, onEmpty: (state: HeadState) => void) {
    this.url = head.url;
    this.session = head.session;
    this.#world = world;
    this.#onEmpty = onEmpty;
  }

  /** The last answer to a question, whose interest is renewed; `entry` is where that interest lies. */
  ask(question: Question, interest: Interest): { readonly entry: Entry; readonly answer: Answer<unknown> } {
    const key = JSON.stringify(question);
    const entry = this.#entries.get(key) ?? this.#addEntry(key, question);
    return { entry, answer: entry.want(interest) };
  }

  /** Uses the credential of the last caller, which is the newest. */
  useToken(token: string | undefined): void {
    this.#token = token;
  }

  /** Gives a command to the head; `onEnd` is called once, later. A command that was not sent when the gate closed waits until it opens. */
  perform(command: Command, onEnd: (end: CommandEnd) => void): void {
    this.#commands.add(async () => {
      const end = await this.#whenAllowed(() => this.#tell(command));
      if (!('error' in end) || !end.error.didNothing) this.#outdate(command);
      onEnd(end);
    });
  }

  /** No more timers. */
  stop(): void {
    this.#cancelRetry();
    this.#world.pace.leave(this);
    for (const entry of this.#entries.values()) entry.stop();
  }

  #addEntry(key: string, question: Question): Entry {
    const entry = new Entry(question, this.#world, {
      due: (due) => this.#enqueue(due),
      unwanted: () => {
        this.#entries.delete(key);
        this.#leaveIfEmpty();
      },
    });
    this.#entries.set(key, entry);
    const outage = this.#breaker.outage;
    if (outage !== undefined) entry.presume(outage.error, outage.at, outage.since, outage.until);
    return entry;
  }

  #enqueue(entry: Entry): void {
    this.#due.add(entry);
    this.#pump();
  }

  /** Asks what is due: nothing while the head is left alone, one question while it has yet to show that it answers. */
  #pump(): void {
    this.#cancelRetry();
    const { clock, signal } = this.#world;
    if (signal.aborted) return;
    const wait = this.#breaker.msLeft(clock.now(), this.#world);
    if (wait > 0) {
      if (this.#due.size > 0) this.#cancelRetry = clock.setTimer(wait, () => this.#pump());
      return;
    }
    for (const entry of this.#due) {
      if (this.#underWay >= (this.#breaker.isProven ? QUESTIONS_AT_ONCE : 1)) return;
      this.#due.delete(entry);
      this.#underWay += 1;
      void this.#withSlot(() => this.#ask(entry)).finally(() => {
        this.#underWay -= 1;
        this.#pump();
      });
    }
  }

  async #ask(entry: Entry): Promise<void> {
    const sentAt = this.#world.clock.now();
    try {
      const value = await askHead(this.#client(entry.ledger), entry.question);
      entry.charge('answered');
      this.#reached();
      entry.heard(value, sentAt);
    } catch (cause) {
      if (this.#world.signal.aborted) return;
      const error = asCallError(cause, this.url);
      entry.charge(error.failure);
      this.#missed(error, sentAt);
      const outage = this.#breaker.outage;
      entry.failed(error, sentAt, outage?.until);
      if (outage !== undefined) this.#failAll(outage.error, sentAt, outage.until);
    }
  }

  /** Circuit breaker: while a head is unreachable, waiting requests do not each try it. */
  #failAll(error: RayCallError, at: number, until: number): void {
    const waiting = [...this.#due];
    this.#due.clear();
    for (const entry of waiting) entry.failed(error, at, until);
  }

  async #tell(command: Command): Promise<CommandEnd> {
    const sentAt = this.#world.clock.now();
    try {
      const outcome = await tellHead(this.#client(), command);
      this.#reached();
      return { outcome };
    } catch (cause) {
      const error = asCallError(cause, this.url);
      this.#missed(error, sentAt);
      return { error };
    }
  }

  #reached(): void {
    const wasAway = this.#breaker.outage !== undefined;
    this.#breaker.reached();
    this.#world.pace.leave(this);
    if (!wasAway) return;
    for (const entry of this.#entries.values()) entry.hurry();
    this.#pump();
  }

  #missed(error: RayCallError, sentAt: number): void {
    if (!isHeadAway(error)) {
      this.#reached();
      return;
    }
    this.#breaker.missed(error, sentAt, this.#world.clock.now(), this.#world);
    if (this.#breaker.outage !== undefined) this.#world.pace.fail(this);
  }

  #outdate(command: Command): void {
    for (const entry of this.#entries.values()) {
      if (touches(command, entry.question)) entry.outdate();
    }
  }

  #withSlot<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#world.slots.take(this.#breaker.isProven, (release) => {
        work().then(resolve, reject).finally(release);
      });
    });
  }

  /** Runs `work` with a slot and while the gate for commands is open: it may close during the wait for a slot. */
  async #whenAllowed<T>(work: () => Promise<T>): Promise<T> {
    const { gate } = this.#world;
    for (;;) {
      await gate.whenOpen();
      const done = await this.#withSlot(async () => (gate.isOpen ? { value: await work() } : undefined));
      if (done !== undefined) return done.value;
    }
  }

  #client(ledger?: AnswerLedger): RayClient {
    const { clock, send, questionTimeoutMs, commandTimeoutMs, signal, reading } = this.#world;
    const head = { url: this.url, token: this.#token };
    return createRayClient({ clock, send, head, questionTimeoutMs, commandTimeoutMs, signal, reading, ledger });
  }

  #leaveIfEmpty(): void {
    if (this.#entries.size > 0 || !this.#commands.isEmpty) return;
    this.stop();
    this.#onEmpty(this);
  }
}

/** Any other error while a response is processed counts as a failure of that response only. */
function asCallError(cause: unknown, url: string): RayCallError {
  if (cause instanceof RayCallError) return cause;
  const words = messageOf(cause);
  const details = { failure: 'unreadable', method: '', url, didNothing: false, cause } as const;
  return new RayCallError(`what ${url} answered could not be understood (${words})`, details);
}
