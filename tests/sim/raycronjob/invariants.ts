import type { History, Invariant, SimEvent } from '../history.ts';
import { addedJobs, after, latestTime, schedulesOf, servedUntil, specsOf } from './ledger.ts';
import { asCronJob, asJob, hasEnded, isGoing, ownerOf, STORED, tickOf } from './stage.ts';

/** What must be true after every step, whatever happened before it. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'no time is served twice': neverTwice,
  'every RayJob is for a time of its schedule, and none comes early': neverEarly,
  'no time within its deadline is passed over': nonePassedOver,
  'what was served stays served': neverBack,
  'Forbid never has two RayJobs running': neverTwoAtOnce,
  'only what has ended, or is replaced, is deleted': deletesNoneRunning,
  'the newest that ended are kept': keepsHistory,
  'what is not ours is left alone': leavesOthersAlone,
};

/** Only where a user deleted the RayJob and nobody could know any more that there was one. */
function neverTwice(history: History): string | undefined {
  return firstOf(addedJobs(history), ({ object, at }) => {
    const isTwin = ({ key, type, object: other }: SimEvent) =>
      key.resource === STORED.jobs &&
      type === 'ADDED' &&
      other.metadata.uid !== object.metadata.uid &&
      ownerOf(other) === ownerOf(object) &&
      tickOf(other) === tickOf(object);
    const twin = history.events.find(isTwin);
    if (twin === undefined) return undefined;
    const { doubtfulWrites, staleReads, overlaps } = history.facts;
    const isGone = history.events.some(
      (event) => event.type === 'DELETED' && event.at <= at && event.object.metadata.uid === twin.object.metadata.uid,
    );
    const isServed = history.events.some(
      (event) =>
        event.key.resource === STORED.cronJobs &&
        event.object.metadata.uid === ownerOf(object) &&
        servedUntil(event.object) >= tickOf(object),
    );
    const isExcused = isGone && (!isServed || doubtfulWrites + staleReads + overlaps > 0);
    return isExcused ? undefined : `${object.metadata.name} was made again`;
  });
}

function neverEarly(history: History): string | undefined {
  return firstOf(addedJobs(history), ({ object }) => {
    const tick = tickOf(object);
    const isTime = schedulesOf(history, ownerOf(object)).some((schedule) => after(schedule, tick - 1000) === tick);
    if (!isTime) return `${object.metadata.name} is for no time`;
    return tick > latestTime(history) ? `${object.metadata.name} is for a time that has not come` : undefined;
  });
}

function nonePassedOver(history: History): string | undefined {
  return firstOf(servings(history), ({ object, before }) => {
    const uid = object.metadata.uid;
    const [from, to] = [servedUntil(before), servedUntil(object)];
    const wasMade = history.events.some(
      (event) => event.type === 'ADDED' && ownerOf(event.object) === uid && tickOf(event.object) === to,
    );
    if (!wasMade) return `${new Date(to).toISOString()} counts as served, and there was no RayJob for it`;
    const [spec] = specsOf(history, uid);
    if (spec?.concurrencyPolicy === 'Forbid' || spec?.concurrencyPolicy === 'Replace') return undefined;
    const lateMs = (spec?.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000;
    const isInOrder = schedulesOf(history, uid).some((schedule) => {
      let tick = after(schedule, from);
      while (tick < to && latestTime(history) - tick > lateMs) tick = after(schedule, tick);
      return tick === to;
    });
    return isInOrder ? undefined : `from ${new Date(from).toISOString()} straight to ${new Date(to).toISOString()}`;
  });
}

function neverBack(history: History): string | undefined {
  return firstOf(servings(history), ({ object, before }) =>
    servedUntil(object) < servedUntil(before) ? `${object.metadata.name} was set back` : undefined,
  );
}

/** Two instances at once, or a create that outlived its sender, know nothing of each other. */
function neverTwoAtOnce(history: History): string | undefined {
  const { doubtfulWrites, overlaps } = history.facts;
  if (doubtfulWrites + overlaps > 0) return undefined;
  return firstOf(addedJobs(history), ({ object }) => {
    const owner = ownerOf(object);
    if (specsOf(history, owner)[0]?.concurrencyPolicy !== 'Forbid') return undefined;
    const running = history.list(STORED.jobs).filter((job) => ownerOf(job) === owner && !hasEnded(job));
    return running.length > 1 ? running.map(({ metadata }) => metadata.name).join(' and ') : undefined;
  });
}

function deletesNoneRunning(history: History): string | undefined {
  return firstOf(deletions(history), (before) => {
    const policy = specsOf(history, ownerOf(before))[0]?.concurrencyPolicy;
    return hasEnded(before) || policy === 'Replace' ? undefined : `${before.metadata.name} was still running`;
  });
}

function keepsHistory(history: History): string | undefined {
  return firstOf(deletions(history), (before) => {
    const owner = ownerOf(before);
    const spec = specsOf(history, owner)[0];
    // One that was to be replaced may have ended just then.
    if (!hasEnded(before) || spec?.concurrencyPolicy === 'Replace') return undefined;
    const outcome = asJob(before).status?.jobDeploymentStatus;
    const limit = outcome === 'Failed' ? spec?.failedJobsHistoryLimit : spec?.successfulJobsHistoryLimit;
    // Those that went since were there when it was decided, or their going was not known yet.
    const newer = history.events.filter(
      ({ key, object }) =>
        key.resource === STORED.jobs &&
        ownerOf(object) === owner &&
        asJob(object).status?.jobDeploymentStatus === outcome &&
        tickOf(object) > tickOf(before),
    );
    const count = new Set(newer.map(({ object }) => object.metadata.uid)).size;
    return limit === undefined || count < limit ? `${before.metadata.name} should have been kept` : undefined;
  });
}

function leavesOthersAlone(history: History): string | undefined {
  const wrong = history.fresh.find(
    ({ key, by, type, object, before }) =>
      by === 'operator' &&
      ((key.resource === STORED.jobs && type !== 'ADDED' && ownerOf(object) === undefined) ||
        (key.resource === STORED.cronJobs &&
          before !== undefined &&
          JSON.stringify(before['spec']) !== JSON.stringify(object['spec']))),
  );
  return wrong === undefined ? undefined : `${wrong.type} ${wrong.key.name}`;
}

/** Changes of what counts as served, with the object before. */
function servings({ fresh }: History) {
  return fresh.flatMap(({ key, by, object, before }) => {
    if (key.resource !== STORED.cronJobs || by !== 'operator' || before === undefined) return [];
    const isChanged = asCronJob(before).status?.lastScheduleTime !== asCronJob(object).status?.lastScheduleTime;
    return isChanged ? [{ object, before }] : [];
  });
}

/** RayJobs that the operator has sent away since the last look, as they were before. */
function deletions({ fresh }: History) {
  return fresh.flatMap(({ key, type, by, object, before }) => {
    if (key.resource !== STORED.jobs || by !== 'operator' || before === undefined || isGoing(before)) return [];
    return type === 'DELETED' || isGoing(object) ? [before] : [];
  });
}

function firstOf<Item>(items: readonly Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = check(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
