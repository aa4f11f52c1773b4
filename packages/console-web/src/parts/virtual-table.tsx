import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { Link } from 'wouter';

export interface Column<T> {
  readonly title: string;
  /** A track of CSS grid. */
  readonly width: string;
  readonly cell: (item: T) => ReactNode;
  /** Absent: the column cannot be sorted by. */
  readonly sortKey?: (item: T) => string | number;
  readonly isNumber?: boolean;
  /** Shown on phones, too; the name and the state always are. */
  readonly isImportant?: boolean;
}

/** Which rows are chosen. */
export interface Choice {
  readonly keys: ReadonlySet<string>;
  readonly onToggle: (key: string) => void;
  readonly onToggleAll: () => void;
}

export interface VirtualTableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  readonly hrefOf: (item: T) => string;
  readonly choice: Choice;
  readonly sort: string;
  readonly onSort: (title: string) => void;
}

const ROW_PX = 36;

/** A table that draws only the rows in view, so that 10,000 objects scroll like ten. The link of a row covers all of it. */
export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { label, items, columns, keyOf, hrefOf, choice, sort, onSort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
  });
  const tracks = { gridTemplateColumns: ['16px', ...columns.map(({ width }) => width)].join(' ') };
  const isAll = items.length > 0 && items.every((item) => choice.keys.has(keyOf(item)));
  return (
    <div className="vtable" ref={scroller} tabIndex={0} role="table" aria-label={label} aria-rowcount={items.length}>
      <div className="vhead" role="row" style={tracks}>
        <span role="columnheader" aria-label="Chosen">
          <input type="checkbox" aria-label="Choose all" checked={isAll} onChange={choice.onToggleAll} />
        </span>
        {columns.map(({ title, sortKey, isNumber }) => {
          const direction = sort === title ? 'ascending' : sort === `-${title}` ? 'descending' : 'none';
          return (
            <span
              key={title}
              role="columnheader"
              aria-sort={direction}
              className={isNumber === true ? 'num' : undefined}
            >
              {sortKey === undefined ? (
                title
              ) : (
                <button type="button" onClick={() => onSort(title)}>
                  {title} {direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}
                </button>
              )}
            </span>
          );
        })}
      </div>
      <div className="vbody" role="rowgroup" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const id = keyOf(item);
          return (
            <div
              key={key}
              className={choice.keys.has(id) ? 'vrow chosen' : 'vrow'}
              role="row"
              style={{ ...tracks, transform: `translateY(${start}px)` }}
            >
              <span role="cell" className="pick">
                <input
                  type="checkbox"
                  aria-label={`Choose ${id}`}
                  checked={choice.keys.has(id)}
                  onChange={() => choice.onToggle(id)}
                />
              </span>
              {columns.map(({ title, cell, isNumber, isImportant }, at) => (
                <span
                  key={title}
                  role="cell"
                  className={`${isNumber === true ? 'num ' : ''}${at > 1 && isImportant !== true ? 'minor' : ''}`}
                >
                  {at === 0 ? <Link href={hrefOf(item)}>{cell(item)}</Link> : cell(item)}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
