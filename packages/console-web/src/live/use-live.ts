import { createContext, useContext, useEffect, useState } from 'react';
import type { StreamMessage } from '@manta/console/protocol';
import { ask } from './api.ts';
import { withKey } from './session-key.ts';
import { INITIAL, type LiveState, reduce } from './store.ts';

export const LiveContext = createContext<LiveState>(INITIAL);

/** What the page knows now; components render again when it changes. */
export function useLive(): LiveState {
  return useContext(LiveContext);
}

/** At most this often the page is drawn again, however many messages arrive. */
const BATCH_MS = 100;

/** After this time a stream is opened again that the browser has given up: it tries again itself only where the server did not answer at all. */
const REOPEN_MS = 3000;

/** Follows the server's stream while `isOn`. A lost stream is opened again, and the server sends all objects again. */
export function useStream(isOn: boolean): LiveState {
  const [state, setState] = useState(INITIAL);
  useEffect(() => {
    if (!isOn) return undefined;
    // A new login begins without the end of the last one.
    setState(INITIAL);
    let source: EventSource | undefined;
    let waiting: StreamMessage[] = [];
    let flushTimer: ReturnType<typeof setTimeout> | undefined;
    let openTimer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const flush = () => {
      const messages = waiting;
      waiting = [];
      flushTimer = undefined;
      setState((before) => reduce(before, messages));
    };
    const open = () => {
      const opened = new EventSource(withKey('/api/stream'));
      source = opened;
      opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
        const message: StreamMessage = JSON.parse(data);
        waiting.push(message);
        if (message.type === 'logout') opened.close();
        flushTimer ??= setTimeout(flush, BATCH_MS);
      });
      opened.addEventListener('error', () => {
        setState((before) => ({ ...before, connection: 'lost' }));
        if (opened.readyState === EventSource.CLOSED) openTimer = setTimeout(() => void reopen(), REOPEN_MS);
      });
    };
    /** A console that was restarted knows no sessions: then the viewer has to log in again. */
    const reopen = async () => {
      const answer = await ask('/api/session').catch(() => undefined);
      if (isOver) return;
      if (answer?.status === 401)
        setState((before) => ({ ...before, loggedOut: 'Your session has ended: log in again.' }));
      else if (answer?.ok === true) open();
      else openTimer = setTimeout(() => void reopen(), REOPEN_MS);
    };
    open();
    return () => {
      isOver = true;
      source?.close();
      clearTimeout(flushTimer);
      clearTimeout(openTimer);
    };
  }, [isOn]);
  return state;
}
