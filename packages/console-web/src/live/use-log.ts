import type { LogMessage } from '@manta/console/protocol';
import { useEffect, useState } from 'react';
import { send } from './api.ts';

/** Which container's log is read. */
export interface LogSource {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
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

/** Follows a container's log. */
export function useLog({ namespace, pod, container }: LogSource): LogState {
  const [state, setState] = useState<LogState>(EMPTY);
  useEffect(() => {
    const stop = new AbortController();
    setState(EMPTY);
    const path = `/api/logs/pods/${encodeURIComponent(namespace)}/${encodeURIComponent(pod)}`;
    const query = new URLSearchParams({ container, follow: 'true', tailLines: String(TAIL) });
    follow(`${path}?${query.toString()}`, stop.signal, (message) => setState((before) => next(before, message))).catch(
      (error: unknown) => {
        if (!stop.signal.aborted)
          setState((before) => ({ ...before, problem: error instanceof Error ? error.message : String(error) }));
      },
    );
    return () => stop.abort();
  }, [namespace, pod, container]);
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

async function follow(path: string, signal: AbortSignal, onMessage: (message: LogMessage) => void): Promise<void> {
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

/** Saves the whole log as a file. A plain link would lack the session's key. */
export async function downloadLog({ namespace, pod, container }: LogSource): Promise<void> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log?container=${encodeURIComponent(container)}`;
  const answer = await send(path);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `${pod}.log`;
  link.click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
