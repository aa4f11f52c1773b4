import { RAY_LIMITS } from '@manta/base';
import { ReadingBytes } from '../answer-ledger.ts';
import type { CommandResult } from '../command.ts';
import type { RayHead } from '../head.ts';
import type { AnswerOf, Question } from '../question.ts';
import { DEFAULT_TIMEOUTS } from '../ray-client.ts';
import { CommandGate } from './command-gate.ts';
import type { Answer, RayPoller, RayPollerOptions } from './contract.ts';
import { type CommandEnd, HeadState } from './head-state.ts';
import { KeptConfigs } from './kept-configs.ts';
import { OwnedCommands } from './owned-commands.ts';
import { OwnedEntries } from './owned-entries.ts';
import { Pace } from './pace.ts';
import type { PollerWorld } from './poller-world.ts';
import { Slots } from './slots.ts';

/** A head that refused for long and is well again is noticed within five seconds. */
const DEFAULT_MAX_PAUSE_MS = 4_000;

/** Starts a poller; one serves the whole process. */
export function createRayPoller(options: RayPollerOptions): RayPoller {
  const { clock, random, send, onNews } = options;
  const heads = new Map<string, HeadState>();
  const entries = new OwnedEntries();
  const commands = new OwnedCommands();
  const closing = new AbortController();
  const tell = (owner: string) => {
    if (!closing.signal.aborted) onNews(owner);
  };
  const world: PollerWorld = {
    clock,
    random,
    send,
    tell,
    slots: new Slots(options.maxInFlight ?? RAY_LIMITS.inFlight),
    pace: new Pace(),
    reading: new ReadingBytes(RAY_LIMITS.readingBytes),
    kept: new KeptConfigs(RAY_LIMITS.keptConfigBytes),
    gate: new CommandGate(),
    note: options.onAnswer ?? (() => undefined),
    questionTimeoutMs: options.questionTimeoutMs ?? DEFAULT_TIMEOUTS.questionTimeoutMs,
    commandTimeoutMs: options.commandTimeoutMs ?? DEFAULT_TIMEOUTS.commandTimeoutMs,
    maxPauseMs: options.maxPauseMs ?? DEFAULT_MAX_PAUSE_MS,
    signal: closing.signal,
    lapsed: (owner, entry) => {
      entries.remove(owner, entry);
      tell(owner);
    },
  };

  const stateOf = (head: RayHead): HeadState => {
    const key = JSON.stringify([head.url, head.session]);
    const state = heads.get(key) ?? new HeadState(head, world, () => heads.delete(key));
    heads.set(key, state);
    state.useToken(head.token);
    return state;
  };

  return {
    ask<Q extends Question>(head: RayHead, question: Q, interest: Parameters<RayPoller['ask']>[2]) {
      if (closing.signal.aborted) return { kind: 'unknown' };
      const asked = askedOf(head, question);
      entries.dropOtherSessions(interest.owner, asked.url, asked.session);
      const { entry, answer } = stateOf(asked).ask(question, interest);
      entries.add(interest.owner, { entry, url: asked.url, session: asked.session });
      // A question's kind decides what its answer holds; the entry of this question has no other.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return answer as Answer<AnswerOf<Q>>;
    },
    perform(head, command, { owner, id }) {
      if (closing.signal.aborted || commands.has(owner, id)) return;
      const started = { id, command, session: head.session, startedAt: clock.now() };
      const running: CommandResult = { ...started, state: 'running' };
      commands.set(owner, running);
      stateOf(head).perform(command, (end) => {
        if (commands.replace(owner, running, ended(started, end, clock.now()))) tell(owner);
      });
    },
    results: (owner) => commands.of(owner),
    settle: (owner, id) => commands.remove(owner, id),
    release: (owner, question) => entries.release(owner, question),
    forget(owner) {
      entries.release(owner);
      commands.forget(owner);
    },
    suspendCommands: () => world.gate.close(),
    resumeCommands() {
      if (!closing.signal.aborted) world.gate.open();
    },
    close() {
      world.gate.close();
      closing.abort(new Error('the poller was closed'));
      for (const state of heads.values()) state.stop();
      heads.clear();
    },
  };
}

/** Serve's proxies answer for themselves: whether they are well has nothing to do with the dashboard, and the token is not for them. */
function askedOf(head: RayHead, question: Question): RayHead {
  return question.kind === 'proxy-health' ? { url: question.url, session: head.session } : head;
}

function ended(
  started: Pick<CommandResult, 'id' | 'command' | 'session' | 'startedAt'>,
  end: CommandEnd,
  at: number,
): CommandResult {
  if ('error' in end) return { ...started, state: 'failed', at, error: end.error };
  return { ...started, state: 'done', at, outcome: end.outcome };
}
