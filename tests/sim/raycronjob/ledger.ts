import { type CronSchedule, nextActivation, parseCron, type RayCronJobSpec, UTC } from '@manta/api';
import type { StoredObject } from '@manta/apiserver';
import type { History, SimEvent } from '../history.ts';
import { aheadMs, operatorTime } from './operator-clock.ts';
import { asCronJob, ownerOf, STORED } from './stage.ts';

/** Every spec that a schedule ever had. */
export function specsOf(history: History, uid: string | undefined): readonly RayCronJobSpec[] {
  return history.events.flatMap(({ key, object }) =>
    key.resource === STORED.cronJobs && object.metadata.uid === uid ? (asCronJob(object).spec ?? []) : [],
  );
}

export function schedulesOf(history: History, uid: string | undefined): readonly CronSchedule[] {
  const texts = new Set(specsOf(history, uid).map(({ schedule }) => schedule));
  return [...texts].map(readSchedule);
}

export function readSchedule(text: string): CronSchedule {
  const schedule = parseCron(text);
  if (!schedule.ok) throw new Error(schedule.error);
  return schedule.value;
}

/** The time after this one, in a schedule without an end: never. */
export function after(schedule: CronSchedule, tick: number): number {
  return nextActivation(schedule, tick, UTC) ?? Number.POSITIVE_INFINITY;
}

/** The latest time that the operator's clock can have shown by now. */
export function latestTime(history: History): number {
  const jumps = history.events.filter(({ key }) => key.resource === STORED.configMaps);
  const ahead = Math.max(0, ...jumps.map(({ object }) => aheadMs(object)));
  return operatorTime(history.events.at(-1)?.at ?? 0, ahead);
}

/** The last time that counts as served, or where counting begins. */
export function servedUntil(object: StoredObject): number {
  const { metadata, status } = asCronJob(object);
  return Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '');
}

/** RayJobs that came since the last look and are those of a schedule. */
export function addedJobs({ fresh }: History): readonly SimEvent[] {
  return fresh.filter(
    ({ key, type, object }) => key.resource === STORED.jobs && type === 'ADDED' && ownerOf(object) !== undefined,
  );
}
