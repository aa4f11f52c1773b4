import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ago, duration } from '../format/duration.ts';
import { type ObjectState, stateOf } from '../format/object-state.ts';
import type { RayKind } from '../live/api.ts';
import { LISTS, pagePath } from '../live/pages.ts';
import { type KindTypes, keyOf, type RayObject, rayObjects } from '../live/store.ts';
import { useLive } from '../live/use-live.ts';
import { BulkActions } from '../parts/bulk-actions.tsx';
import { useNow } from '../parts/relative-time.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { useQueryParam } from '../parts/use-query-param.ts';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';

/** One object with what the table shows of it, computed once for each change. */
interface Row {
  readonly object: RayObject;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: ObjectState;
  readonly createdMs: number;
  readonly detail: string;
  /** When a RayJob started and ended. */
  readonly startMs?: number;
  readonly endMs?: number;
}

/** The template of `kubectl ray init` that creates one. */
const TEMPLATE: Readonly<Record<RayKind, string>> = {
  RayJob: 'job',
  RayCluster: 'cluster',
  RayService: 'serve',
  RayCronJob: 'cron',
};

/** A live table of one kind; filters and order are in the URL. */
export function ListPage({ kind }: { readonly kind: RayKind }) {
  const live = useLive();
  const now = useNow();
  const [, navigate] = useLocation();
  const [text, setText] = useQueryParam('q');
  const [word, setWord] = useQueryParam('state');
  const [namespace, setNamespace] = useQueryParam('ns');
  const [sort, setSort] = useQueryParam('sort', '-Age');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { objects } = live;
  const rows = useMemo(() => rayObjects(objects, kind).map((object) => toRow(kind, object)), [kind, objects]);
  const columns = useMemo(() => columnsOf(kind, now), [kind, now]);
  const shown = useMemo(
    () =>
      sorted(
        rows.filter(
          ({ name, namespace: of, state }) =>
            matches(text, name, of) && (word === '' || state.word === word) && (namespace === '' || of === namespace),
        ),
        columns,
        sort,
      ),
    [rows, columns, sort, text, word, namespace],
  );
  const words = [...new Set(rows.map(({ state }) => state.word))].toSorted();
  const namespaces = [...new Set(rows.map((row) => row.namespace))].toSorted();
  const toggle = (key: string) =>
    setChosen(new Set(chosen.has(key) ? [...chosen].filter((each) => each !== key) : [...chosen, key]));
  const toggleAll = () =>
    setChosen(shown.every(({ key }) => chosen.has(key)) ? new Set() : new Set(shown.map(({ key }) => key)));
  const chosenRows = rows.filter(({ key }) => chosen.has(key));
  const denied = live.access.find((each) => each.kind === kind)?.denied;
  return (
    <>
      <div className="row">
        <h1>
          {LISTS[kind].title}{' '}
          <span className="dim">
            {shown.length === rows.length
              ? rows.length.toLocaleString('en')
              : `${shown.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')}`}
          </span>
        </h1>
        <Link className="button primary" href={`/editor?template=${TEMPLATE[kind]}`}>
          New {LISTS[kind].one}
        </Link>
      </div>
      <div className="filters">
        <input
          id="filter"
          type="search"
          placeholder="Filter by name or namespace"
          aria-label="Filter by name or namespace"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select aria-label="State" value={word} onChange={(event) => setWord(event.target.value)}>
          <option value="">All states</option>
          {words.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <select aria-label="Namespace" value={namespace} onChange={(event) => setNamespace(event.target.value)}>
          <option value="">All namespaces</option>
          {namespaces.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </div>
      {chosenRows.length === 0 ? null : (
        <BulkActions kind={kind} chosen={chosenRows.map(({ object }) => object)} onDone={() => setChosen(new Set())} />
      )}
      <section className="panel">
        {!live.loaded.has(kind) ? (
          <div className="body groups" aria-busy="true">
            {[72, 56, 64].map((width) => (
              <div key={width} className="skeleton" style={{ width: `${width}%` }} />
            ))}
          </div>
        ) : denied !== undefined ? (
          <p className="empty">{denied}</p>
        ) : shown.length === 0 ? (
          <div className="empty">
            {rows.length === 0 ? (
              <>
                <b>There is no {kind} yet.</b>
                <span>
                  <Link href={`/editor?template=${TEMPLATE[kind]}`}>Create one from a template</Link>, or with{' '}
                  <code className="mono">kubectl ray init {TEMPLATE[kind]}</code>.
                </span>
              </>
            ) : (
              <>
                <b>Nothing matches these filters.</b>
                <button type="button" onClick={() => navigate(LISTS[kind].path)}>
                  Clear filters
                </button>
              </>
            )}
          </div>
        ) : (
          <VirtualTable
            items={shown}
            columns={columns}
            keyOf={({ key }) => key}
            label={LISTS[kind].title}
            hrefOf={({ namespace: of, name }) => pagePath(kind, of, name)}
            choice={{ keys: chosen, onToggle: toggle, onToggleAll: toggleAll }}
            sort={sort}
            onSort={(title) => setSort(sort === title ? `-${title}` : title)}
          />
        )}
      </section>
    </>
  );
}

function toRow(kind: RayKind, object: RayObject): Row {
  const { namespace = '', name = '', creationTimestamp = '' } = object.metadata ?? {};
  return {
    object,
    key: keyOf(object),
    namespace,
    name,
    state: stateOf(kind, object),
    createdMs: Date.parse(creationTimestamp),
    detail: detailOf(kind, object),
    ...runOf(kind, object),
  };
}

/** The kind's own column: the cause, the workers, the endpoints or the schedule. */
const DETAILS: { readonly [K in RayKind]: (object: KindTypes[K]) => string } = {
  RayJob: ({ status: { reason = '', message = '', rayClusterName = '' } = {} }) =>
    reason === '' ? rayClusterName : `${reason}: ${message.trim().split('\n').at(-1) ?? ''}`,
  RayCluster: ({
    status: { availableWorkerReplicas = 0, desiredWorkerReplicas = 0, desiredCPU = 0, desiredMemory = 0 } = {},
  }) => `${availableWorkerReplicas} of ${desiredWorkerReplicas} workers · ${desiredCPU} CPU · ${desiredMemory}`,
  RayService: ({ status }) => `${status?.numServeEndpoints ?? 0} endpoints`,
  RayCronJob: ({ spec: { schedule = '', timeZone = '' } = {} }) =>
    timeZone === '' ? schedule : `${schedule} (${timeZone})`,
};

function detailOf<K extends RayKind>(kind: K, object: KindTypes[K]): string {
  return DETAILS[kind](object);
}

/** Start and end of a RayJob; other kinds have none. */
function runOf(kind: RayKind, object: RayObject): Pick<Row, 'startMs' | 'endMs'> {
  if (kind !== 'RayJob' || object.status === undefined || !('startTime' in object.status)) return {};
  const { startTime, endTime } = object.status;
  return {
    ...(startTime === undefined ? {} : { startMs: Date.parse(startTime) }),
    ...(endTime === undefined ? {} : { endMs: Date.parse(endTime) }),
  };
}

function columnsOf(kind: RayKind, now: number): readonly Column<Row>[] {
  const took = ({ startMs, endMs = now }: Row) => (startMs === undefined ? '' : duration(endMs - startMs));
  return [
    { title: 'Name', width: 'minmax(160px, 2fr)', cell: ({ name }) => name, sortKey: ({ name }) => name },
    {
      title: 'State',
      width: '128px',
      cell: ({ state }) => <StateBadge state={state} />,
      sortKey: ({ state }) => state.word,
    },
    {
      title: 'Namespace',
      width: 'minmax(80px, 1fr)',
      cell: ({ namespace }) => namespace,
      sortKey: ({ namespace }) => namespace,
    },
    ...(kind === 'RayJob' ? [{ title: 'Took', width: '96px', cell: took, isNumber: true }] : []),
    {
      title: kind === 'RayCronJob' ? 'Schedule' : 'Details',
      width: 'minmax(120px, 3fr)',
      cell: ({ detail }) => <span title={detail}>{detail}</span>,
    },
    {
      title: 'Age',
      width: '104px',
      isNumber: true,
      cell: ({ createdMs }) => <span title={new Date(createdMs).toLocaleString()}>{ago(createdMs, now)}</span>,
      sortKey: ({ createdMs }) => createdMs,
    },
  ];
}

function matches(text: string, name: string, namespace: string): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || name.toLowerCase().includes(wanted) || namespace.toLowerCase().includes(wanted);
}

function sorted(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const isDescending = sort.startsWith('-');
  const key = columns.find(({ title }) => title === sort.replace(/^-/, ''))?.sortKey;
  if (key === undefined) return rows;
  const ascending = rows.toSorted((left, right) => {
    const [a, b] = [key(left), key(right)];
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  });
  return isDescending ? ascending.toReversed() : ascending;
}
