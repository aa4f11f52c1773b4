import { type CallFilter, type FaultCall, matches } from './call.ts';
import { type Duration, type Fault, type FaultRule, refusalOf, type Verdict } from './fault.ts';
import type { Cut } from '../../http/watch-response.ts';
import { Gate, type GateOptions, type StreamGate } from './stream-gate.ts';

/**
 * Where faults are switched on and off. Whoever moves requests (`withFaults` in one process, the HTTP front end) asks it what shall
 * happen to each, and sends the events of watches through its gates.
 */
export interface Switchboard {
  /** Puts a rule in force; the returned function takes it back. */
  add(rule: FaultRule): () => void;
  /** Takes back every rule and every freeze. */
  clear(): void;
  /** What shall happen to this request; draws from the dice and counts, so ask once per request. */
  intercept(call: FaultCall): Verdict;
  /** The way for the events of a watch that has been opened. */
  openStream(call: FaultCall, options: GateOptions): StreamGate;
  /** Holds back the events of the watches meant, those still to be opened included, until the returned function is called. */
  freeze(filter?: CallFilter): () => void;
  /** Breaks the watches meant; returns how many there were. */
  cut(how: Cut, filter?: CallFilter): number;
}

/** A switchboard with everything off. `random` (uniform in [0, 1)) decides where a rule has a chance or a range. */
export function createSwitchboard(random: () => number): Switchboard {
  return new Board(random);
}

interface ActiveRule {
  readonly rule: FaultRule;
  left: number;
}

class Board implements Switchboard {
  readonly #random: () => number;
  readonly #rules = new Set<ActiveRule>();
  readonly #freezes = new Set<CallFilter>();
  readonly #gates = new Set<Gate>();

  constructor(random: () => number) {
    this.#random = random;
  }

  add(rule: FaultRule): () => void {
    const active = { rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules.add(active);
    return () => this.#rules.delete(active);
  }

  clear(): void {
    this.#rules.clear();
    this.#freezes.clear();
    this.#thaw();
  }

  intercept(call: FaultCall): Verdict {
    let verdict: Verdict = { requestDelayMs: 0, answerDelayMs: 0, isStale: false };
    for (const fault of this.#drawn(call, (candidate) => !isEventDelay(candidate))) {
      verdict = this.#with(verdict, fault);
    }
    return verdict;
  }

  openStream(call: FaultCall, options: GateOptions): StreamGate {
    const gate = new Gate(
      call,
      options,
      () => this.#eventDelay(call),
      (closed) => this.#gates.delete(closed),
    );
    gate.setFrozen(this.#isFrozen(call));
    this.#gates.add(gate);
    return gate;
  }

  freeze(filter: CallFilter = {}): () => void {
    const freeze = { ...filter };
    this.#freezes.add(freeze);
    this.#thaw();
    return () => {
      this.#freezes.delete(freeze);
      this.#thaw();
    };
  }

  cut(how: Cut, filter: CallFilter = {}): number {
    const meant = [...this.#gates].filter(({ call }) => matches(filter, call));
    for (const gate of meant) gate.cut(how);
    return meant.length;
  }

  #isFrozen(call: FaultCall): boolean {
    return [...this.#freezes].some((filter) => matches(filter, call));
  }

  #thaw(): void {
    for (const gate of this.#gates) gate.setFrozen(this.#isFrozen(gate.call));
  }

  /** The faults that happen to a call, of those that are wanted. */
  *#drawn(call: FaultCall, isWanted: (fault: Fault) => boolean): Generator<Fault> {
    for (const active of this.#rules) {
      const { when = {}, chance = 1, fault } = active.rule;
      if (!isWanted(fault) || active.left <= 0 || !matches(when, call)) continue;
      if (chance < 1 && this.#random() >= chance) continue;
      active.left -= 1;
      yield fault;
    }
  }

  #eventDelay(call: FaultCall): number {
    let delayMs = 0;
    for (const fault of this.#drawn(call, isEventDelay)) {
      if (fault.kind === 'delay') delayMs += this.#duration(fault.eventMs);
    }
    return delayMs;
  }

  /** Delays add up; of several refusals and losses the first counts. */
  #with(verdict: Verdict, fault: Fault): Verdict {
    const isDecided = verdict.loss !== undefined || verdict.refusal !== undefined;
    switch (fault.kind) {
      case 'delay':
        return {
          ...verdict,
          requestDelayMs: verdict.requestDelayMs + this.#duration(fault.requestMs),
          answerDelayMs: verdict.answerDelayMs + this.#duration(fault.answerMs),
        };
      case 'lose':
        if (isDecided) return verdict;
        return { ...verdict, loss: { what: fault.what, isSilent: fault.isSilent ?? false } };
      case 'refuse':
        return isDecided ? verdict : { ...verdict, refusal: refusalOf(fault) };
      case 'stale':
        return { ...verdict, isStale: true };
    }
  }

  #duration(duration: Duration = 0): number {
    return typeof duration === 'number' ? duration : duration.min + (duration.max - duration.min) * this.#random();
  }
}

/** Such a rule is drawn for every event, not for the request that opens the watch. */
function isEventDelay(fault: Fault): boolean {
  return fault.kind === 'delay' && fault.eventMs !== undefined;
}
