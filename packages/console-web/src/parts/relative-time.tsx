import { useEffect, useState } from 'react';
import { ago } from '../format/duration.ts';

/** Now, once a second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** `5 min ago`, with the exact time on hover. */
export function RelativeTime({ at, now }: { readonly at: string | undefined; readonly now: number }) {
  if (at === undefined) return <span className="dim">–</span>;
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {ago(Date.parse(at), now)}
    </time>
  );
}
