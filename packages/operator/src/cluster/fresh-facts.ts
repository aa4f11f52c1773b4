import type { Clock, KubeClient } from '@manta/kube';
import type { Logger } from '@manta/runtime';
import { type ClusterFacts, discoverFacts } from './facts.ts';

/** The facts as last seen. Nothing polls: they are asked for again only when somebody misses something. */
export interface FreshFacts {
  current(): ClusterFacts;
  /** Asks again in the background, at most once a minute; `then` is called when the answer differs. */
  lookAgain(then: () => void): void;
}

const MIN_AGE_MS = 60_000;

export function keepFactsFresh(first: ClusterFacts, client: KubeClient, clock: Clock, log: Logger): FreshFacts {
  let facts = first;
  let askedAt = clock.now();
  async function ask(then: () => void): Promise<void> {
    try {
      const next = await discoverFacts(client);
      const hasChanged = JSON.stringify(next) !== JSON.stringify(facts);
      facts = next;
      if (!hasChanged) return;
      log.info('The cluster has changed', { ...next });
      then();
    } catch (error) {
      log.warn('Cannot look up what is installed in the cluster', { error: String(error) });
    }
  }

  return {
    current: () => facts,
    lookAgain(then) {
      if (clock.now() - askedAt < MIN_AGE_MS) return;
      askedAt = clock.now();
      void ask(then);
    },
  };
}
