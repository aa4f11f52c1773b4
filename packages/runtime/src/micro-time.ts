/** A time as Kubernetes' MicroTime: RFC 3339 in UTC with six digits, `2026-08-01T12:00:00.000000Z`. */
export function microTime(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -1)}000Z`;
}
