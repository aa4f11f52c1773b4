const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** A length of time as `kubectl get` shows an age: two units at most, coarser as it grows. */
export function humanDuration(milliseconds: number): string {
  if (milliseconds <= -2 * second) return '<invalid>';
  if (milliseconds < 0) return '0s';
  if (milliseconds < 2 * minute) return `${Math.floor(milliseconds / second)}s`;
  if (milliseconds < 10 * minute) return two(milliseconds, minute, 'm', second, 's');
  if (milliseconds < 3 * hour) return `${Math.floor(milliseconds / minute)}m`;
  if (milliseconds < 8 * hour) return two(milliseconds, hour, 'h', minute, 'm');
  if (milliseconds < 2 * day) return `${Math.floor(milliseconds / hour)}h`;
  if (milliseconds < 8 * day) return two(milliseconds, day, 'd', hour, 'h');
  if (milliseconds < 2 * year) return `${Math.floor(milliseconds / day)}d`;
  if (milliseconds < 8 * year) return two(milliseconds, year, 'y', day, 'd');
  return `${Math.floor(milliseconds / year)}y`;
}

function two(milliseconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((milliseconds % large) / small);
  return `${Math.floor(milliseconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}
