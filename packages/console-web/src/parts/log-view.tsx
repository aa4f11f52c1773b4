import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ansiSpans } from '../format/ansi.ts';
import { send } from '../live/api.ts';

export interface LogViewProps {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Lines that are kept; older ones are dropped, and the view says so. */
const MAX_LINES = 50_000;
const MAX_LINE = 10_000;
const LINE_PX = 18;

/** A container's log, followed live, with colours and search. */
export function LogView({ namespace, pod, container }: LogViewProps) {
  const { lines, dropped, problem } = useLog(namespace, pod, container);
  const [search, setSearch] = useState('');
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(
    () =>
      lines
        .map((text, index) => ({ text, number: dropped + index + 1 }))
        .filter(({ text }) => search === '' || text.toLowerCase().includes(search.toLowerCase())),
    [lines, dropped, search],
  );
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && shown.length > 0) rows.scrollToIndex(shown.length - 1);
  }, [isFollowing, shown.length, rows]);
  return (
    <section className="panel" aria-label="Log">
      <header>
        <h2>
          Log{' '}
          <span className="dim">
            {pod} · {container} · {(dropped + lines.length).toLocaleString('en')} lines
          </span>
        </h2>
        <span className="row">
          <input
            type="search"
            placeholder="Search the log"
            aria-label="Search the log"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <label>
            <input type="checkbox" checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />{' '}
            follow
          </label>
          <a download={`${pod}.log`} href={logPath(namespace, pod, container)}>
            Download
          </a>
        </span>
      </header>
      {problem === undefined ? null : <p className="banner">{problem}</p>}
      {dropped > 0 ? (
        <p className="banner">
          The first {dropped.toLocaleString('en')} lines are not shown: download the log to read them.
        </p>
      ) : null}
      <div className="log" ref={scroller} tabIndex={0} role="log">
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = shown[index];
            return line === undefined ? null : (
              <div key={line.number} className="line" style={{ transform: `translateY(${start}px)` }}>
                <span className="n">{line.number}</span>
                {ansiSpans(line.text).map((span, at) => (
                  <span key={`${at}`} className={span.className}>
                    {span.text}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

function logPath(namespace: string, pod: string, container: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?container=${encodeURIComponent(container)}`;
}

interface LogState {
  readonly lines: readonly string[];
  readonly dropped: number;
  readonly problem?: string;
}

function useLog(namespace: string, pod: string, container: string): LogState {
  const [state, setState] = useState<LogState>({ lines: [], dropped: 0 });
  useEffect(() => {
    const stop = new AbortController();
    setState({ lines: [], dropped: 0 });
    follow(logPath(namespace, pod, container), stop.signal, (more) => setState((before) => append(before, more))).catch(
      (error: unknown) => {
        if (!stop.signal.aborted)
          setState((before) => ({ ...before, problem: error instanceof Error ? error.message : String(error) }));
      },
    );
    return () => stop.abort();
  }, [namespace, pod, container]);
  return state;
}

export function append({ lines, dropped }: LogState, more: readonly string[]): LogState {
  const all = [
    ...lines,
    ...more.map((line) =>
      line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} … (${line.length - MAX_LINE} more characters)` : line,
    ),
  ];
  const surplus = Math.max(0, all.length - MAX_LINES);
  return { lines: surplus === 0 ? all : all.slice(surplus), dropped: dropped + surplus };
}

/** Reads the log as it grows; lines are handed on ten times a second, so that a busy log does not stop the page. */
async function follow(path: string, signal: AbortSignal, onLines: (lines: readonly string[]) => void): Promise<void> {
  const answer = await send(`${path}&follow=true&tailLines=10000`, { signal });
  if (answer.body === null) return;
  let rest = '';
  let waiting: string[] = [];
  const timer = setInterval(() => {
    if (waiting.length === 0) return;
    onLines(waiting);
    waiting = [];
  }, 100);
  try {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const pieces = (rest + part.value).split('\n');
      rest = pieces.pop() ?? '';
      waiting.push(...pieces);
    }
  } finally {
    clearInterval(timer);
    if (rest !== '') waiting.push(rest);
    if (waiting.length > 0) onLines(waiting);
  }
}
