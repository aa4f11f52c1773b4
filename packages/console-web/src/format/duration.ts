const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** The two largest units: `3 d 4 h`, `12 min 5 s`, `0 s`. */
export function duration(ms: number): string {
  let seconds = Math.max(0, Math.round(ms / 1000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count} ${unit}`);
  }
  const shown = parts.slice(0, 2).filter((part, index) => index === 0 || !part.startsWith('0 '));
  return shown.length === 0 ? '0 s' : shown.join(' ');
}

/** `5 min ago`; a moment in the future is `in 5 min`. */
export function ago(thenMs: number, nowMs: number): string {
  if (thenMs > nowMs + 1000)
    return `in ${duration(thenMs - nowMs)
      .split(' ')
      .slice(0, 2)
      .join(' ')}`;
  return `${duration(nowMs - thenMs)
    .split(' ')
    .slice(0, 2)
    .join(' ')} ago`;
}
