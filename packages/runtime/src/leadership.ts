import type { LeaderElector } from './leader-election.ts';
import type { Leadership } from './manager.ts';

/** Leadership was lost against our will: the process should end, since another may act now. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';

  constructor() {
    super('leader election lost');
  }
}

/** Lets a manager's work follow an election: it starts with the term, stops with it, and the lease is given back only once it has stopped. */
export function createLeadership(elector: LeaderElector): Leadership {
  return {
    async runWhenLeader(stop, lead, suspension) {
      const leading = new AbortController();
      const giveBack = new AbortController();
      const release = () => giveBack.abort();
      let work: Promise<void> | undefined;
      const onStop = () => {
        leading.abort(stop.reason);
        if (work === undefined) release();
      };
      if (stop.aborted) onStop();
      stop.addEventListener('abort', onStop, { once: true });
      const end = await elector.run({
        signal: giveBack.signal,
        onLeading() {
          work = lead(leading.signal);
          work.then(release, release);
        },
        onLost: () => leading.abort(new LeadershipLostError()),
        suspension,
      });
      stop.removeEventListener('abort', onStop);
      if (end !== 'lost') return work;
      await work?.catch(() => undefined);
      throw new LeadershipLostError();
    },
  };
}
