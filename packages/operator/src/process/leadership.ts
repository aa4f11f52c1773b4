import type { LeaderElector, Leadership } from '@manta/runtime';

/** The lease that the peer uses too: while one of the two operators runs, the other waits. */
export const LEASE_NAME = 'ray-operator-leader';

/** Another operator holds the lease now; acting on would mean two leaders. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

/** Leadership by election: the lease is given back only after the work that needs it has ended. */
export function electedLeadership(elector: LeaderElector): Leadership {
  return {
    async runWhenLeader(stop, lead) {
      const candidacy = new AbortController();
      const leading = new AbortController();
      let work: Promise<void> | undefined;
      const onStop = () => {
        if (work === undefined) candidacy.abort(stop.reason);
        else leading.abort(stop.reason);
      };
      stop.addEventListener('abort', onStop, { once: true });
      if (stop.aborted) onStop();
      const end = await elector.run({
        signal: candidacy.signal,
        onLeading() {
          work = lead(leading.signal).finally(() => candidacy.abort());
          if (stop.aborted) onStop();
        },
        onLost: () => leading.abort(new LeadershipLost('leader election lost')),
      });
      stop.removeEventListener('abort', onStop);
      await work;
      if (end === 'lost') throw new LeadershipLost('leader election lost');
    },
  };
}
