import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

const JUMPS: Readonly<Record<string, string>> = {
  h: '/',
  j: '/jobs',
  c: '/clusters',
  s: '/services',
  r: '/cron',
  n: '/new',
  o: '/operator',
};

/** `/` filters, `g j` goes to jobs, `?` shows help, Ctrl-K searches. Keys typed into a field stay there. */
export function useShortcuts(onPalette: () => void, onHelp: () => void): void {
  const [, navigate] = useLocation();
  const afterG = useRef(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
        event.preventDefault();
        onPalette();
        return;
      }
      // The editor is in a shadow root: its own elements are the first of the path.
      const [target] = event.composedPath();
      const isTyping =
        target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const page = afterG.current ? JUMPS[event.key] : undefined;
      afterG.current = event.key === 'g';
      if (page !== undefined) navigate(page);
      else if (event.key === '?') onHelp();
      else if (event.key === '/') {
        event.preventDefault();
        const filter = document.getElementById('filter');
        if (filter === null) onPalette();
        else filter.focus();
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, onPalette, onHelp]);
}
