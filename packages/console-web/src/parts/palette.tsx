import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { RayKind } from '../live/api.ts';
import { useLive } from '../live/use-live.ts';

const PATHS: readonly (readonly [RayKind, string])[] = [
  ['RayJob', '/jobs'],
  ['RayCluster', '/clusters'],
  ['RayService', '/services'],
  ['RayCronJob', '/cron'],
];
const PAGES: readonly (readonly [string, string])[] = [
  ['Home', '/'],
  ['Jobs', '/jobs'],
  ['Clusters', '/clusters'],
  ['Services', '/services'],
  ['Cron jobs', '/cron'],
  ['New', '/new'],
  ['Editor', '/editor'],
  ['Operator', '/operator'],
];

/** Jump to any page or object by typing a part of its name. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { objects } = useLive();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [selected, select] = useState(0);
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    const pages = PAGES.map(([title, href]) => ({ title, hint: 'page', href }));
    const things = PATHS.flatMap(([kind, path]) =>
      Array.from(objects[kind].keys(), (key) => ({ title: key, hint: kind, href: `${path}/${key}` })),
    );
    return [...pages, ...things]
      .filter(({ title, hint }) => `${title} ${hint}`.toLowerCase().includes(wanted))
      .slice(0, 30);
  }, [objects, text]);
  const go = (href: string) => {
    onClose();
    navigate(href);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') select(Math.min(selected + 1, found.length - 1));
    else if (event.key === 'ArrowUp') select(Math.max(selected - 1, 0));
    else if (event.key === 'Enter') go(found[selected]?.href ?? '/');
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      className="palette"
      aria-label="Search or jump to"
      ref={(element) => {
        if (element !== null && !element.open) element.showModal();
      }}
      onClose={onClose}
    >
      <input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-label="Search or jump to"
        placeholder="Search or jump to …"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          select(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" role="listbox">
        {found.map(({ title, hint, href }, index) => (
          <li key={href} role="presentation">
            <a
              role="option"
              aria-selected={index === selected}
              href={href}
              onClick={(event) => {
                event.preventDefault();
                go(href);
              }}
            >
              <span>{title}</span>
              <span className="dim">{hint}</span>
            </a>
          </li>
        ))}
      </ul>
    </dialog>
  );
}
