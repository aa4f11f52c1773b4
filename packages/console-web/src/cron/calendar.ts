import { loadTimeZone, nextActivation, parseCron, type RayCronJob, toLocalTime, type TimeZone, UTC } from '@manta/api';

/** The next times of a schedule, or why there are none. */
export type Upcoming =
  | { readonly kind: 'times'; readonly zone: TimeZone; readonly times: readonly number[] }
  | { readonly kind: 'none'; readonly why: string };

const MAX_TIMES = 400;

/** The times of a schedule from now until a moment. Without a time zone, the operator's own decides; UTC stands for it here. */
export function upcoming({ spec, status }: RayCronJob, now: number, untilMs: number): Upcoming {
  if (spec === undefined) return { kind: 'none', why: 'The schedule has no spec.' };
  const schedule = parseCron(spec.schedule);
  if (!schedule.ok) return { kind: 'none', why: `The schedule ${spec.schedule} is not valid.` };
  const zone = spec.timeZone === undefined ? { ok: true as const, value: UTC } : loadTimeZone(spec.timeZone);
  if (!zone.ok) return { kind: 'none', why: `There is no time zone ${spec.timeZone ?? ''}.` };
  if (spec.suspend === true) return { kind: 'none', why: 'The schedule is paused.' };
  const times: number[] = [];
  let at = schedule.value.kind === 'every' ? Date.parse(status?.lastScheduleTime ?? '') || now : now;
  while (times.length < MAX_TIMES) {
    const next = nextActivation(schedule.value, at, zone.value);
    if (next === undefined || next > untilMs) break;
    if (next > now) times.push(next);
    at = next;
  }
  return { kind: 'times', zone: zone.value, times };
}

/** `2026-11-18`, in a time zone. */
export function dayOf(zone: TimeZone, ms: number): string {
  const { year, month, day } = toLocalTime(zone, ms);
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** `03:30`, in a time zone. */
export function hourOf(zone: TimeZone, ms: number): string {
  const { hour, minute } = toLocalTime(zone, ms);
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
