import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ansiSpans } from '../format/ansi.ts';
import { downloadLog, type LogSource, titleOf, useLog } from '../live/use-log.ts';
import { useAction } from './use-action.ts';

export interface LogViewProps {
  /** Logs to choose from; the first is shown first. */
  readonly sources: readonly LogSource[];
  readonly actions?: ReactNode;
}

const LINE_PX = 18;
const SEARCH = 'Search the log';

/** A log, followed live, with colours and search. */
export function LogView({ sources, actions }: LogViewProps) {
  const [chosen, choose] = useState('');
  const source = sources.find((each) => titleOf(each) === chosen) ?? sources[0];
  return source === undefined ? null : (
    <OpenLog
      source={source}
      actions={
        <>
          {sources.length > 1 ? (
            <select aria-label="Log of" value={titleOf(source)} onChange={(event) => choose(event.target.value)}>
              {sources.map((each) => (
                <option key={titleOf(each)} value={titleOf(each)}>
                  {titleOf(each)}
                </option>
              ))}
            </select>
          ) : null}
          {actions}
        </>
      }
    />
  );
}

function OpenLog({ source, actions }: { readonly source: LogSource; readonly actions: ReactNode }) {
  const { lines, dropped, problem, hasEnded } = useLog(source);
  const [search, setSearch] = useState('');
  const download = useAction();
  const { isBusy, run } = download;
  const [isFollowing, setFollowing] = useState(true);
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const wanted = search.toLowerCase();
    const numbered = lines.map((text, index) => ({ text, number: dropped + index + 1 }));
    return wanted === '' ? numbered : numbered.filter(({ text }) => text.toLowerCase().includes(wanted));
  }, [lines, dropped, search]);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  });
  useEffect(() => {
    if (isFollowing && shown.length > 0) rows.scrollToIndex(shown.length - 1);
  }, [isFollowing, shown.length, rows]);
  const total = dropped + lines.length;
  return (
    <section className="panel" aria-label="Log">
      <header>
        <h2>
          Log{' '}
          <span className="dim">
            {titleOf(source)} · {search === '' ? '' : `${shown.length.toLocaleString('en')} of `}
            {total.toLocaleString('en')} lines{hasEnded ? ' · ended' : ''}
          </span>
        </h2>
        <span className="row tools">
          <input
            type="search"
            placeholder={SEARCH}
            aria-label={SEARCH}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <label className="check">
            <input type="checkbox" checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />{' '}
            Follow
          </label>
          {actions}
          <button type="button" disabled={isBusy} onClick={() => run(() => downloadLog(source, lines))}>
            Download
          </button>
        </span>
      </header>
      {problem === undefined && download.problem === '' ? null : (
        <p className="banner" role="alert">
          {problem ?? download.problem}
        </p>
      )}
      {dropped > 0 ? (
        <p className="banner">
          {dropped.toLocaleString('en')} lines came before or too fast to be shown: download the log to read them.
        </p>
      ) : null}
      <div
        className="log"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={`Log of ${titleOf(source)}`}
        onWheel={({ deltaY }) => {
          // A reader has scrolled up: the log stops moving.
          if (deltaY < 0) setFollowing(false);
        }}
      >
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = shown[index];
            return line === undefined ? null : (
              <div key={line.number} className="line" style={{ transform: `translateY(${start}px)` }}>
                <span className="n">{line.number}</span>
                {ansiSpans(line.text).map((span, at) => (
                  <Marked key={`${at}`} text={span.text} className={span.className} search={search} />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}

/** A piece of a line with the search marked. */
function Marked({
  text,
  className,
  search,
}: {
  readonly text: string;
  readonly className: string;
  readonly search: string;
}) {
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at < 0) return <span className={className}>{text}</span>;
  const end = at + search.length;
  return (
    <span className={className}>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </span>
  );
}
