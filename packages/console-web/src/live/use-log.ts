import type { LogMessage } from '@manta/console/protocol';
import { useEffect, useState } from 'react';
import { send } from './api.ts';

/** Whose log is read: a container's, or what a RayJob prints. */
export type LogSource =
  | { readonly kind: 'container'; readonly namespace: string; readonly pod: string; readonly container: string }
  | { readonly kind: 'job'; readonly namespace: string; readonly name: string };

/** What the source is called. */
export function titleOf(source: LogSource): string {
  return source.kind === 'job' ? 'Job output' : `${source.pod} · ${source.container}`;
}

function pathOf(source: LogSource, query: Readonly<Record<string, string>>): string {
  const { namespace } = source;
  const [kind, name] = source.kind === 'job' ? ['rayjobs', source.name] : ['pods', source.pod];
  const params = new URLSearchParams({ ...(source.kind === 'job' ? {} : { container: source.container }), ...query });
  return `/api/logs/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?${params.toString()}`;
}

export interface LogState {
  readonly lines: readonly string[];
  /** Lines before these that the page does not have. */
  readonly dropped: number;
  readonly hasEnded: boolean;
  readonly problem?: string;
}

/** Lines that are kept; older ones are dropped, and the view says so. */
const MAX_LINES = 50_000;
const TAIL = 10_000;
const EMPTY: LogState = { lines: [], dropped: 0, hasEnded: false };

/** Follows a log. */
export function useLog(source: LogSource): LogState {
  const [state, setState] = useState<LogState>(EMPTY);
  const path = pathOf(source, { follow: 'true', tailLines: String(TAIL) });
  useEffect(() => {
    const stop = new AbortController();
    setState(EMPTY);
    read(path, stop.signal, (message) => setState((before) => next(before, message))).catch((error: unknown) => {
      if (!stop.signal.aborted)
        setState((before) => ({ ...before, problem: error instanceof Error ? error.message : String(error) }));
    });
    return () => stop.abort();
  }, [path]);
  return state;
}

/** The state after a message. */
export function next(before: LogState, message: LogMessage): LogState {
  switch (message.type) {
    case 'source':
      return before;
    case 'lines': {
      const all = [...before.lines, ...message.lines];
      const surplus = Math.max(0, all.length - MAX_LINES);
      const dropped = before.dropped + surplus + (message.dropped ?? 0);
      return { ...before, lines: surplus === 0 ? all : all.slice(surplus), dropped };
    }
    case 'end':
      return { ...before, hasEnded: true, ...(message.problem === undefined ? {} : { problem: message.problem }) };
  }
}

async function read(path: string, signal: AbortSignal, onMessage: (message: LogMessage) => void): Promise<void> {
  const { body } = await send(path, { signal });
  if (body === null) return;
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const pieces = (rest + part.value).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) if (piece !== '') onMessage(JSON.parse(piece));
  }
}

/**
 * Saves a log as a file: of a container, all that Kubernetes has; of a job, the lines that the page has, because Ray's log of a running job
 * has no end to wait for. A plain link would lack the session's key.
 */
export async function downloadLog(source: LogSource, shown: readonly string[]): Promise<void> {
  const lines = source.kind === 'job' ? shown : await readAll(pathOf(source, {}));
  const url = URL.createObjectURL(new Blob([lines.join('\n'), '\n'], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${source.kind === 'job' ? source.name : source.pod}.log`;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function readAll(path: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await read(path, new AbortController().signal, (message) => {
    if (message.type === 'end' && message.problem !== undefined) throw new Error(message.problem);
    if (message.type === 'lines') for (const line of message.lines) lines.push(line);
  });
  return lines;
}
