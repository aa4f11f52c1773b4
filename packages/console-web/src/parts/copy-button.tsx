import { useState } from 'react';

/** Copies a text and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    );
  return (
    <button type="button" aria-live="polite" onClick={() => void copy()} onBlur={() => setState('ready')}>
      {state === 'copied' ? '✓ Copied' : state === 'failed' ? '✕ Not copied' : label}
    </button>
  );
}
