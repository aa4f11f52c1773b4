import { isAlreadyExists } from '@manta/kube';
import type { History, Invariant, SimEvent } from '../history.ts';
import type { SimRequest } from '../requests.ts';
import { firstOf } from './history-queries.ts';
import { STORED } from './stage.ts';

/** What the operator may ask of the API server. */
export const REQUEST_INVARIANTS: Readonly<Record<string, Invariant>> = {
  'asks for no pod twice': asksOnce,
  'sends no pod away twice': sendsAwayOnce,
  'writes nothing that changes nothing': changesSomething,
  'does not try again and again what is refused': isPatient,
};

/** Who was told that a pod is there does not ask for it while it is: the cache is waited for, and past its time the server is asked. */
function asksOnce(history: History): string | undefined {
  const again = history.answered.filter(
    ({ verb, plural, answer }) =>
      verb === 'create' && plural === 'pods' && answer?.kind === 'refused' && isAlreadyExists(answer.error),
  );
  return firstOf(again, (request) => {
    const earlier = earlierOf(history, request);
    const there = new Set(history.list(STORED.pods).map(({ metadata }) => metadata.uid));
    const known = earlier.find((each) => there.has(uidOf(each) ?? ''));
    return known === undefined ? undefined : `${request.name} was made by the same instance before`;
  });
}

function sendsAwayOnce(history: History): string | undefined {
  const sent = history.answered.filter(({ verb, plural }) => verb === 'delete' && plural === 'pods');
  return firstOf(sent, (request) => {
    const uid = uidOf(request);
    const known = earlierOf(history, request).find((each) => uid !== undefined && uidOf(each) === uid);
    return known === undefined ? undefined : `${request.name} was sent away by the same instance before`;
  });
}

/** Requests of the same instance for the same, whose good end it knew when it sent this one. A cache that went back in time excuses it. */
function earlierOf({ requests, facts }: History, request: SimRequest): readonly SimRequest[] {
  if (facts.staleReads > 0) return [];
  return requests.filter(
    ({ life, verb, plural, name, answer, answeredAt }) =>
      life === request.life &&
      verb === request.verb &&
      plural === request.plural &&
      name === request.name &&
      answer?.kind === 'done' &&
      answeredAt !== undefined &&
      answeredAt < request.sentAt,
  );
}

function changesSomething({ answered, events }: History): string | undefined {
  const vain = answered.find(({ verb, plural, name, answer, revision }) => {
    if ((verb !== 'patch' && verb !== 'update') || plural === 'events' || plural === 'leases') return false;
    const isChange = ({ key, by, ...event }: SimEvent) =>
      event.revision > revision && key.name === name && by === 'operator' && key.resource.endsWith(`/${plural}`);
    return answer?.kind === 'done' && !events.some(isChange);
  });
  return vain === undefined ? undefined : `${vain.verb} ${vain.plural}/${vain.name}`;
}

const MINUTE_MS = 60_000;
const MOST_REFUSED_A_MINUTE = 60;

function isPatient({ answered, requests }: History): string | undefined {
  return firstOf(answered.filter(isRefusedPod), ({ life, sentAt }) => {
    const refused = requests.filter(
      (each) => isRefusedPod(each) && each.life === life && each.sentAt > sentAt - MINUTE_MS,
    );
    const count = refused.length;
    return count > MOST_REFUSED_A_MINUTE ? `${count} pods were refused within a minute` : undefined;
  });
}

function isRefusedPod({ verb, plural, answer }: SimRequest): boolean {
  return verb === 'create' && plural === 'pods' && answer?.kind === 'refused';
}

function uidOf({ answer }: SimRequest): string | undefined {
  return answer?.kind === 'done' ? answer.object?.metadata?.uid : undefined;
}
