import { createContext, useContext, useEffect, useState } from 'react';
import type { StreamMessage } from '@manta/console/protocol';
import { withKey } from './session-key.ts';
import { INITIAL, type LiveState, reduce } from './store.ts';

export const LiveContext = createContext<LiveState>(INITIAL);

/** What the page knows now; components render again when it changes. */
export function useLive(): LiveState {
  return useContext(LiveContext);
}

/** At most this often the page is drawn again, however many messages arrive. */
const BATCH_MS = 100;

/** Follows the server's stream while `isOn`. A lost stream is opened again by the browser; the server then sends everything anew. */
export function useStream(isOn: boolean): LiveState {
  const [state, setState] = useState(INITIAL);
  useEffect(() => {
    if (!isOn) return undefined;
    const source = new EventSource(withKey('/api/stream'));
    let waiting: StreamMessage[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const messages = waiting;
      waiting = [];
      timer = undefined;
      setState((before) => reduce(before, messages));
    };
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const message: StreamMessage = JSON.parse(data);
      waiting.push(message);
      if (message.type === 'logout') source.close();
      timer ??= setTimeout(flush, BATCH_MS);
    });
    source.addEventListener('error', () => setState((before) => ({ ...before, connection: 'lost' })));
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, [isOn]);
  return state;
}
