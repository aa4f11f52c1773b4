import { ApiError } from '@manta/kube';
import type { ConsoleParts } from '../console-parts.ts';
import { NOT_CACHED } from '../http/security-headers.ts';
import type { ViewerSession } from '../identity/sessions.ts';
import { problem } from '../passthrough/pass-to-api-server.ts';
import type { StreamMessage } from '../protocol.ts';
import { viewerStream } from './viewer-stream.ts';

/** Streams of a session at one time, one for each open page: each is fed from the caches, and has the viewer's rights checked. */
const MAX_STREAMS = 30;
const open = new WeakMap<ViewerSession, number>();

/** The stream of one browser as server-sent events. It ends with the session; its last message says why. */
export function streamResponse(
  { caches, clock, log, sessions }: ConsoleParts,
  session: ViewerSession,
  left: AbortSignal,
): Response {
  const { access, ended } = session;
  const others = open.get(session) ?? 0;
  if (others >= MAX_STREAMS)
    return problem(429, `you have ${MAX_STREAMS} pages of the console open, the limit: close one`);
  open.set(session, others + 1);
  let isOpen = true;
  const release = () => {
    if (isOpen) open.set(session, (open.get(session) ?? 1) - 1);
    isOpen = false;
  };
  const signal = AbortSignal.any([left, ended]);
  const messages = viewerStream({ caches, client: access.client, clock, signal });
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await messages.next();
        if (done !== true) controller.enqueue(encode(value));
        else {
          release();
          if (ended.aborted && !left.aborted) controller.enqueue(encode([farewell(ended.reason)]));
          controller.close();
        }
      } catch (error) {
        release();
        if (left.aborted) return;
        if (error instanceof ApiError && error.code === 401)
          sessions.end(session.id, 'the API server no longer accepts your credentials');
        else log.warn('A stream ended', { user: session.viewer.user, error: String(error) });
        if (ended.aborted) controller.enqueue(encode([farewell(ended.reason)]));
        controller.close();
      }
    },
    async cancel() {
      release();
      await messages.return(undefined);
    },
  });
  return new Response(body, {
    headers: { ...NOT_CACHED, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  });
}

const encoder = new TextEncoder();

function encode(messages: readonly string[]): Uint8Array {
  return encoder.encode(messages.map((message) => `data: ${message}\n\n`).join(''));
}

function farewell(reason: unknown): string {
  const message: StreamMessage = {
    type: 'logout',
    reason: reason instanceof Error ? reason.message : 'the session has ended',
  };
  return JSON.stringify(message);
}
