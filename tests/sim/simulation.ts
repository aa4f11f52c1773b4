import { type Api, createApi, createInProcessClient, createStore, type Store } from '@manta/apiserver';
import { createReplica, createSwitchboard, type Replica, type Switchboard } from '@manta/apiserver/testing';
import { ApiError, type KubeClient } from '@manta/kube';
import type { Logger } from '@manta/runtime';
import type { Choices } from './choices.ts';
import { hookClient } from './client-hook.ts';
import { FAULTS, type FaultName } from './faults.ts';
import { Recorder } from './history.ts';
import { lighten, withoutManagers } from './light-server.ts';
import { SimProcess, type Surroundings } from './process.ts';
import type { Backstage, Scenario } from './scenario.ts';
import { Scheduler } from './scheduler.ts';

/** A run that takes more steps than this does not come to rest. */
const MAX_STEPS = 20_000;
/** For how long things happen, and how many. */
const CHAOS_MS = 60_000;
const MAX_TURNS = 40;
const GO_ON = 0.9;
/** How many kinds of faults a run allows, more or less. */
const FAULTS_AT_ONCE = 2.75;
/** A key that has failed often comes back after 1000 s. */
const SETTLE_MS = 1_200_000;
/** Even where nothing is missing: writes of dead processes may still be under way. */
const CALM_MS = 60_000;
const QUIET_MS = 130_000;

/** A broken promise. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** One run of a scenario: chaos, then calm, then the goal, then quiet. */
export class Simulation {
  readonly choices: Choices;
  readonly scheduler: Scheduler;
  readonly store: Store = createStore();
  readonly board: Switchboard;
  readonly replica: Replica;
  readonly recorder: Recorder;
  /** What happened, one line each. */
  readonly log: string[] = [];
  readonly #scenario: Scenario;
  readonly #seed: number;
  readonly #backstage: Backstage;
  readonly #around: Surroundings;
  readonly #processes: SimProcess[] = [];
  #failure: string | undefined;
  #isCalm = false;
  #slowUntil = 0;
  #lives = 0;

  constructor(scenario: Scenario, seed: number, choices: Choices, logger: Logger) {
    this.#scenario = scenario;
    this.#seed = seed;
    this.choices = choices;
    this.scheduler = new Scheduler(choices);
    // A rule with a chance hits when the dice fall low: the plainest choice, 0, is the highest throw.
    this.board = createSwitchboard(() => 1 - (choices.pick(100) + 1) / 101);
    const api = this.#createApi();
    this.replica = createReplica(api);
    this.recorder = new Recorder(
      this.store,
      () => this.scheduler.now(),
      () => this.#writer(),
    );
    const client = clientOf(api, 'backstage');
    this.#backstage = { api, client, clock: this.scheduler.clock('environment'), choices };
    const { scheduler, board } = this;
    this.#around = {
      scheduler,
      choices,
      board,
      server: clientOf(api, scenario.program.name),
      replica: this.#countStale(clientOf(this.replica.api, scenario.program.name)),
      facts: this.recorder.facts,
      requests: this.recorder,
      backstage: this.#backstage,
      log: logger,
      latency: () => this.#latency(),
      ended: (process, error) => this.#ended(process, error),
      crashed: (process) => this.#crashed(process),
    };
  }

  /** The newest life of the program that has not ended. */
  get running(): SimProcess | undefined {
    return this.#processes.findLast(({ isAlive }) => isAlive);
  }

  /** Runs to the end; throws a {@link Violation} at the first broken promise. */
  async run(): Promise<void> {
    const { scheduler } = this;
    await scheduler.as('user', () => this.#scenario.prepare(this.#backstage));
    await scheduler.as('environment', () => this.#scenario.environment?.(this.#backstage));
    this.#planTurns();
    await scheduler.as('start', () => this.ensureRunning());
    await this.#advance(CHAOS_MS);
    await scheduler.as('calm', () => this.#calmDown());
    await this.#settle();
    await this.#requireRest();
  }

  later(label: string, delayMs: number, run: () => void): void {
    this.scheduler.schedule({ label, owner: 'fate', delayMs }, () => {
      if (!this.#isCalm) run();
    });
  }

  ensureRunning(): void {
    if (this.running === undefined) this.startAnother();
  }

  startAnother(): void {
    if (this.running !== undefined) this.recorder.facts.overlaps += 1;
    this.#lives += 1;
    const { program } = this.#scenario;
    const life = new SimProcess(
      program,
      `${program.name}#${this.#lives}`,
      this.#seed * 1000 + this.#lives,
      this.#around,
    );
    this.#processes.push(life);
    this.#note(`${life.id} starts`);
    life.start();
  }

  crash(): void {
    this.#note(`${this.running?.id ?? 'nobody'} crashes`);
    this.running?.crash();
  }

  stopGracefully(): void {
    const stopping = this.running;
    stopping?.stop();
    this.later('patience is over', 40_000, () => stopping?.crash());
  }

  slowDown(durationMs: number): void {
    this.#slowUntil = this.scheduler.now() + durationMs;
  }

  /** One of the kinds that the program works with, or none in particular. */
  anyResource(): string | undefined {
    const known = [...new Set(this.recorder.events.map(({ key }) => key.resource.split('/')[1] ?? ''))];
    return [undefined, ...known][this.choices.pick(known.length + 1)];
  }

  /** What users and fate do, and when. The kinds that may happen are drawn first. */
  #planTurns(): void {
    const allowed: readonly FaultName[] = this.#scenario.faults ?? names(FAULTS);
    const faults = allowed.filter(() => this.choices.chance(Math.min(0.9, FAULTS_AT_ONCE / allowed.length)));
    const moves = Object.keys(this.#scenario.moves).filter(() => this.choices.chance(0.7));
    const kinds = [
      ...moves.flatMap((name) => [1, 2].map(() => () => this.#planMove(name))),
      ...faults.map((name) => () => this.#planFault(name)),
    ];
    for (let turn = 0; turn < MAX_TURNS && this.choices.chance(GO_ON); turn += 1)
      kinds[this.choices.pick(kinds.length)]?.();
  }

  /** Mostly soon, while the first things are under way, sometimes late. */
  #someDelay(): number {
    const draw = this.choices.pick(200);
    if (draw < 50) return draw;
    if (draw < 150) return (draw - 49) * 25;
    return (draw - 149) * (CHAOS_MS / 50);
  }

  #planMove(name: string): void {
    const move = this.#scenario.moves[name];
    this.scheduler.schedule({ label: name, owner: 'user', delayMs: this.#someDelay() }, () => {
      void move?.(this.#backstage).catch((error: unknown) => this.#fail(`the user's move failed: ${messageOf(error)}`));
    });
  }

  #planFault(name: FaultName): void {
    this.later(name, this.#someDelay(), () => FAULTS[name](this));
  }

  #calmDown(): void {
    this.#isCalm = true;
    this.#note('calm');
    const last = this.running;
    for (const process of this.#processes) if (process !== last || process.isStopping) process.crash();
    this.board.clear();
    this.replica.release();
    this.ensureRunning();
  }

  async #advance(durationMs: number): Promise<void> {
    const until = this.scheduler.now() + durationMs;
    while (this.scheduler.now() < until) {
      const step = await this.scheduler.next(until);
      if (step !== undefined && step.label !== 'timer') this.#note(`${step.owner} ${step.label}`);
      this.#check();
      if (this.scheduler.taken > MAX_STEPS) throw new Violation(`does not come to rest within ${MAX_STEPS} steps`);
    }
  }

  /** Leaves the world alone until all is as desired. */
  async #settle(): Promise<void> {
    const until = this.scheduler.now() + (this.#scenario.settleMs ?? SETTLE_MS);
    do await this.#advance(CALM_MS);
    while (this.#scenario.goal(this.recorder) !== undefined && this.scheduler.now() < until);
    this.#requireGoal('within the time it has');
  }

  /** From now on nothing is written, nor tried to. */
  async #requireRest(): Promise<void> {
    const { events, requests } = this.recorder;
    const before = { events: events.length, requests: requests.length };
    await this.#advance(QUIET_MS);
    this.#requireGoal('and stays so');
    const { isAfterthought = () => false } = this.#scenario;
    const late = events.slice(before.events).find(({ key }) => !isAfterthought(key.resource.split('/')[1] ?? ''));
    if (late !== undefined) throw new Violation(`does not come to rest: ${describe(late)} by ${late.by}`);
    const vain = requests.slice(before.requests).find(({ plural }) => !isAfterthought(plural));
    if (vain !== undefined)
      throw new Violation(`does not come to rest: asks to ${vain.verb} ${vain.plural}/${vain.name}`);
  }

  #check(): void {
    const { recorder } = this;
    if (this.#failure !== undefined) throw new Violation(this.#failure);
    if (recorder.fresh.length === 0 && recorder.answered.length === 0) return;
    for (const event of recorder.fresh) this.#note(`  ${describe(event)} by ${event.by}`);
    for (const [promise, invariant] of Object.entries(this.#scenario.invariants)) {
      const problem = invariant(recorder);
      if (problem !== undefined) throw new Violation(`${promise}: ${problem}`);
    }
    recorder.looked();
  }

  #requireGoal(when: string): void {
    const missing = this.#scenario.goal(this.recorder);
    if (missing !== undefined) throw new Violation(`reaches what is desired, ${when}: ${missing}`);
  }

  #ended(process: SimProcess, error: unknown): void {
    this.#note(`${process.id} has ended`);
    if (error !== undefined) this.#fail(`the program ended by itself: ${messageOf(error)}`);
  }

  #crashed(process: SimProcess): boolean {
    if (this.#isCalm || !process.isAlive) return false;
    this.#note(`${process.id} crashes`);
    process.crash();
    this.later('start', [0, 50, 2_000, 20_000][this.choices.pick(4)] ?? 0, () => this.ensureRunning());
    return true;
  }

  #fail(failure: string): void {
    this.#failure ??= failure;
  }

  #latency(): number {
    if (this.#isCalm) return this.choices.pick(3);
    if (this.scheduler.now() < this.#slowUntil) return this.choices.pick(20_000);
    const scale = [0, 5, 50, 1_000][this.choices.chance(0.6) ? 1 + this.choices.pick(3) : 0] ?? 0;
    return this.choices.pick(scale);
  }

  #createApi(): Api {
    let uids = 0;
    const newUid = () => `00000000-0000-0000-0000-${String(++uids).padStart(12, '0')}`;
    const api = createApi({
      store: this.store,
      world: { clock: this.scheduler.clock('server'), newUid, random: () => 0.5 },
      plugins: [withoutManagers],
    });
    lighten(api);
    return api;
  }

  #countStale(replica: KubeClient): KubeClient {
    return hookClient(replica, (_method, call) => {
      this.recorder.facts.staleReads += 1;
      return call();
    });
  }

  #writer(): string {
    return this.scheduler.current.split('#')[0] ?? '';
  }

  #note(line: string): void {
    const seconds = ((this.scheduler.now() - Date.UTC(2026, 0, 1)) / 1000).toFixed(3);
    this.log.push(`${seconds.padStart(8)}s  ${line}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error);
}

function clientOf(api: Api, userAgent: string): KubeClient {
  return createInProcessClient(api, {
    userAgent,
    toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
  });
}

function describe({ type, key, revision, object }: Recorder['events'][number]): string {
  const mark = type === 'MODIFIED' && object.metadata.deletionTimestamp !== undefined ? ' (terminating)' : '';
  return `${type} ${key.resource.split('/')[1]}/${key.name}${mark} @${revision}`;
}

function names<K extends string>(record: Readonly<Record<K, unknown>>): readonly K[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant record has no other keys than its type says
  return Object.keys(record) as K[];
}
