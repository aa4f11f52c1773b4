import type { Clock, KubeClient } from '@manta/kube';
import { ApiError, isConflict, isNotFound, sleep } from '@manta/kube';
import type { Lease, LeaseSpec } from './lease.ts';
import { heldSpec, holderOf, isSameRecord, isSameTerm, LEASES, newLease, releasedSpec } from './lease.ts';
import type { Logger } from './logger.ts';
import type { Gauge, MetricsRegistry } from './metrics/instruments.ts';
import { microTime } from './micro-time.ts';

export interface LeaderElectionTimings {
  /** How long others leave an unchanged lease alone. */
  readonly leaseDurationMs: number;
  /** Renew deadline: how long a leader retries the renewal before it gives up. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** client-go's defaults. */
export const DEFAULT_TIMINGS: LeaderElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderElectorOptions {
  readonly client: KubeClient;
  readonly lease: { readonly name: string; readonly namespace: string };
  /** Unique to this process; {@link leaderIdentity} makes one. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: MetricsRegistry;
  readonly timings?: LeaderElectionTimings | undefined;
}

export interface LeaderElectionRun {
  /** Abort it once the work that needs leadership has stopped: the lease is then given back. */
  readonly signal: AbortSignal;
  /** Called once, when the lease is ours. */
  readonly onLeading: () => void;
  /** Called at once when leadership is lost involuntarily: stop writing now. Not called after `signal`. */
  readonly onLost: () => void;
  /**
   * With it, a lease that could not be renewed in time suspends the term instead of ending it: stop writing now, and go on at
   * `onResumed`. The term resumes if the lease still names this term, so no other process can have led meanwhile; else `onLost` follows.
   */
  readonly suspension?: { readonly onSuspended: () => void; readonly onResumed: () => void } | undefined;
}

/** How a run ended: aborted before or while leading, or leadership lost. */
export type LeaderElectionEnd = 'stopped' | 'released' | 'lost';

export interface LeaderElector {
  /** Waits for the lease, keeps it, and resolves when that is over; may be called once. */
  run(options: LeaderElectionRun): Promise<LeaderElectionEnd>;
  isLeading(): boolean;
}

/** `<hostname>_<uuid>`, as the framework writes it into the lease. */
export function leaderIdentity(hostname: string, uuid: string): string {
  return `${hostname}_${uuid}`;
}

/** Takes part in an election over a Lease, together with any client-go program that uses the same one. */
export function createLeaderElector(options: LeaderElectorOptions): LeaderElector {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options.timings ?? DEFAULT_TIMINGS;
  if (leaseDurationMs <= renewDeadlineMs) throw new RangeError('the lease duration must exceed the renew deadline');
  if (renewDeadlineMs <= retryPeriodMs * JITTER) {
    throw new RangeError(`the renew deadline must exceed ${JITTER} times the retry period`);
  }
  const elector = new Elector(options);
  return { run: (run) => elector.run(run), isLeading: () => elector.isLeading };
}

const JITTER = 1.2;
/** Share of the lease duration after which we stop leading without a renewal; the rest covers clocks that run unevenly. */
const SAFE_SHARE = 0.8;
const RELEASE_TRIES = 3;
const RELEASE_TIMEOUT_MS = 2_000;

/** `held`: we have just renewed the lease. `taken`: another holder has it. `failed`: reading or writing failed. */
type Attempt = 'held' | 'taken' | 'failed';

/** A term in office. While it is suspended we do not lead, and try to renew. */
interface Term {
  readonly onLost: () => void;
  readonly suspension: LeaderElectionRun['suspension'];
  isSuspended: boolean;
}

/**
 * All waiting is done with timers and never by comparing wall clocks, so neither a stepped clock nor two machines that disagree matter: a
 * candidate times how long *it* has seen a lease unchanged, and a leader times from the moment it *sent* its last successful write, which
 * no candidate can have seen earlier.
 */
class Elector {
  readonly #options: LeaderElectorOptions;
  readonly #timings: LeaderElectionTimings;
  readonly #status: Gauge;
  readonly #log: Logger;
  #observed: Lease | undefined;
  #isObservedExpired = false;
  #cancelExpiry = () => {};
  #cancelDeadline = () => {};
  #term: Term | undefined;
  /** A write whose answer never came may have made us the holder. */
  #mayHold = false;

  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#timings = options.timings ?? DEFAULT_TIMINGS;
    this.#log = options.log.with({ lease: `${options.lease.namespace}/${options.lease.name}` });
    this.#status = options.metrics.gauge('leader_election_master_status', 'Whether this process leads: 1 or 0.');
    this.#status.set({ name: options.lease.name }, 0);
  }

  get isLeading(): boolean {
    return this.#term !== undefined && !this.#term.isSuspended;
  }

  async run({ signal, onLeading, onLost, suspension }: LeaderElectionRun): Promise<LeaderElectionEnd> {
    this.#log.info('attempting to acquire leader lease');
    const hasAcquired = await this.#acquire(signal);
    const lost = new AbortController();
    if (hasAcquired && !signal.aborted) {
      this.#log.info('successfully acquired lease', { identity: this.#options.identity });
      this.#status.set({ name: this.#options.lease.name }, 1);
      const lose = () => {
        lost.abort();
        onLost();
      };
      this.#term = { onLost: lose, suspension, isSuspended: false };
      signal.addEventListener('abort', () => this.#endTerm(), { once: true });
      onLeading();
      await this.#renew(AbortSignal.any([signal, lost.signal]));
    }
    this.#cancelExpiry();
    this.#cancelDeadline();
    if (lost.signal.aborted) return 'lost';
    this.#endTerm();
    if (hasAcquired || this.#mayHold) await this.#release();
    return hasAcquired ? 'released' : 'stopped';
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if ((await this.#attempt(signal)) === 'held') return true;
      await this.#pause(this.#timings.retryPeriodMs * (1 + JITTER * this.#options.random()), signal);
    }
    return false;
  }

  async #renew(ended: AbortSignal): Promise<void> {
    await this.#pause(this.#timings.retryPeriodMs, ended);
    while (!ended.aborted) {
      const pausing = this.#pause(this.#timings.retryPeriodMs, ended);
      const attempt = await this.#attempt(ended);
      if (attempt === 'taken') this.#lose('another process has taken the lease');
      else if (attempt === 'held') this.#resume();
      await pausing;
    }
  }

  async #attempt(signal: AbortSignal): Promise<Attempt> {
    try {
      if (this.#term !== undefined && (await this.#tryFastRenewal(signal))) return 'held';
      const before = this.#observed;
      const lease = await this.#read(signal);
      // Another replica may have led while our term was suspended: only an unbroken term continues.
      if (this.#term?.isSuspended === true && !isSameTerm(before, lease)) return 'taken';
      if (lease !== undefined) this.#observe(lease);
      const isForeign = lease !== undefined && holderOf(lease) !== '' && holderOf(lease) !== this.#options.identity;
      if (isForeign && (this.#term !== undefined || !this.#isObservedExpired)) return 'taken';
      return (await this.#write(lease, signal)) ? 'held' : 'failed';
    } catch (error) {
      if (isConflict(error)) this.#log.debug('lease was written by someone else meanwhile');
      else if (!signal.aborted) this.#log.error('error with the leader lease', error);
      return 'failed';
    }
  }

  /** Usual renewal: one request, assuming no other write since the last one. */
  async #tryFastRenewal(signal: AbortSignal): Promise<boolean> {
    if (this.#observed === undefined) return false;
    try {
      return await this.#write(this.#observed, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#log.debug('lease could not be renewed at once, reading it', { error });
      const help = 'Renewals that had to read the lease first.';
      this.#options.metrics.counter('leader_election_slowpath_total', help).add({ name: this.#options.lease.name });
      return false;
    }
  }

  async #read(signal: AbortSignal | undefined): Promise<Lease | undefined> {
    try {
      return await this.#options.client.get(LEASES, this.#options.lease, this.#call(signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Makes the lease ours. False when the answer came so late that it proves nothing. */
  async #write(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, identity, clock, lease: ref } = this.#options;
    const spec = heldSpec(lease, identity, this.#timings.leaseDurationMs / 1000, microTime(clock.now()));
    const deadline = this.#startDeadline();
    try {
      const written = await (lease === undefined
        ? client.create(LEASES, newLease(ref, spec), this.#call(signal))
        : client.update(LEASES, { ...lease, spec }, this.#call(signal)));
      this.#observe(written);
      this.#mayHold = false;
      if (deadline.hasPassed()) return false;
      this.#cancelDeadline();
      this.#cancelDeadline = deadline.cancel;
      return true;
    } catch (error) {
      deadline.cancel();
      if (!(error instanceof ApiError) || error.code >= 500) this.#mayHold = true;
      throw error;
    }
  }

  /** Counts from now, before a write is sent; takes effect when the write succeeds. */
  #startDeadline(): { readonly cancel: () => void; readonly hasPassed: () => boolean } {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#timings;
    let hasPassed = false;
    const cancel = this.#options.clock.setTimer(
      Math.min(retryPeriodMs + renewDeadlineMs, leaseDurationMs * SAFE_SHARE),
      () => {
        hasPassed = true;
        if (this.#cancelDeadline === cancel) this.#suspend();
      },
    );
    return { cancel, hasPassed: () => hasPassed };
  }

  #observe(lease: Lease): void {
    const isSame = isSameRecord(this.#observed, lease);
    this.#observed = lease;
    if (isSame) return;
    this.#cancelExpiry();
    this.#isObservedExpired = false;
    this.#cancelExpiry = this.#options.clock.setTimer((lease.spec?.leaseDurationSeconds ?? 0) * 1000, () => {
      this.#isObservedExpired = true;
    });
  }

  /** The time is over after which another process may take the lease. */
  #suspend(): void {
    const term = this.#term;
    if (term?.suspension === undefined) {
      this.#lose('the lease could not be renewed in time');
      return;
    }
    term.isSuspended = true;
    this.#status.set({ name: this.#options.lease.name }, 0);
    this.#log.warn('leader lease could not be renewed in time: nothing is written until it is renewed');
    term.suspension.onSuspended();
  }

  #resume(): void {
    const term = this.#term;
    if (term === undefined || !term.isSuspended) return;
    term.isSuspended = false;
    this.#status.set({ name: this.#options.lease.name }, 1);
    this.#log.info('leader lease is renewed: work goes on');
    term.suspension?.onResumed();
  }

  #lose(why: string): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#endTerm();
    this.#log.error('leader election lost', new Error(why));
    term.onLost();
  }

  #endTerm(): void {
    this.#term = undefined;
    this.#status.set({ name: this.#options.lease.name }, 0);
  }

  /** Best effort: others would get the lease anyway, only later. */
  async #release(): Promise<void> {
    let lease = this.#mayHold ? undefined : this.#observed;
    for (let tries = 0; tries < RELEASE_TRIES; tries++) {
      try {
        lease ??= await this.#read(undefined);
        if (lease === undefined || holderOf(lease) !== this.#options.identity) return;
        const spec: LeaseSpec = releasedSpec(lease, microTime(this.#options.clock.now()));
        await this.#options.client.update(
          LEASES,
          { ...lease, spec },
          { timeoutMs: RELEASE_TIMEOUT_MS, isUrgent: true },
        );
        this.#log.info('released leader lease');
        return;
      } catch (error) {
        if (!isConflict(error)) this.#log.warn('leader lease could not be released', { error });
        lease = undefined;
      }
    }
  }

  #call(signal: AbortSignal | undefined) {
    const timeoutMs = signal === undefined ? RELEASE_TIMEOUT_MS : this.#timings.renewDeadlineMs / 2;
    return { signal, timeoutMs, isUrgent: true };
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleep(this.#options.clock, delayMs, signal).catch(() => undefined);
  }
}
