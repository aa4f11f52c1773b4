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
}

export interface VirtualTableProps<T> {
  readonly items: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  readonly hrefOf: (item: T) => string;
  readonly sort: string;
  readonly onSort: (title: string) => void;
}

const ROW_PX = 36;

/** A table that draws only the rows in view, so that 10,000 objects scroll like ten. Each row is a link. */
export function VirtualTable<T>({ items, columns, keyOf, hrefOf, sort, onSort }: VirtualTableProps<T>) {
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
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(' ') };
  return (
    <div className="vtable" ref={scroller} tabIndex={0} role="table" aria-rowcount={items.length}>
      <div className="vhead" role="row" style={tracks}>
        {columns.map(({ title, sortKey }) => {
          const direction = sort === title ? 'ascending' : sort === `-${title}` ? 'descending' : 'none';
          return (
            <span key={title} role="columnheader" aria-sort={direction}>
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
          return item === undefined ? null : (
            <Link
              key={key}
              href={hrefOf(item)}
              className="vrow"
              role="row"
              style={{ ...tracks, transform: `translateY(${start}px)` }}
            >
              {columns.map(({ title, cell }) => (
                <span key={title} role="cell">
                  {cell(item)}
                </span>
              ))}
            </Link>
          );
        })}
      </div>
    </div>
  );
}
