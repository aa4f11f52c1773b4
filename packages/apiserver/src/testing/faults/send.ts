import type { CallOptions, KubeClient } from '@manta/kube';
import type { FaultCall } from './call.ts';
import { type FaultyLink, failureWithoutServer, serverFor } from './link.ts';

const PATIENCE_MS = 30_000;

/** What the server gets to see of a caller's options: that the caller gives up does not call back a request. */
type ServerSide = { readonly signal: undefined; readonly timeoutMs: undefined };
const SERVER_SIDE: ServerSide = { signal: undefined, timeoutMs: undefined };

/**
 * Sends one request over the wire, has it carried out at the moment it arrives, and sends the answer back. The caller gives up by its
 * own clock or signal, as a real client does; a request that is under way then is carried out all the same.
 */
export function sendWithFaults<R>(
  link: FaultyLink,
  call: FaultCall,
  options: CallOptions | undefined,
  run: (server: KubeClient, rest: ServerSide) => Promise<R>,
): Promise<R> {
  const { clock, errors } = link;
  const { signal, timeoutMs = PATIENCE_MS } = options ?? {};
  return new Promise<R>((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const giveUp = () => settle(() => reject(errors.lost(call, `no answer within ${timeoutMs} ms`, false)));
    const onAbort = () => settle(() => reject(signal?.reason));
    const cancelTimeout = clock.setTimer(timeoutMs, giveUp);
    signal?.addEventListener('abort', onAbort, { once: true });
    const settle = (end: () => void): void => {
      cancelTimeout();
      signal?.removeEventListener('abort', onAbort);
      end();
    };
    deliverRequest(link, call, run, {
      resolve: (value) => settle(() => resolve(value)),
      reject: (error) => settle(() => reject(error)),
    });
  });
}

interface Settle<R> {
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

function deliverRequest<R>(
  link: FaultyLink,
  call: FaultCall,
  run: (server: KubeClient, rest: ServerSide) => Promise<R>,
  { resolve, reject }: Settle<R>,
): void {
  const { board, wire } = link;
  const verdict = board.intercept(call);
  const answer = (end: () => void) => wire.carry({ what: 'answer', call, delayMs: verdict.answerDelayMs }, end);
  const failure = failureWithoutServer(link, call, verdict);
  if (verdict.loss?.what === 'unsent') {
    answer(() => reject(failure));
    return;
  }
  wire.carry({ what: 'request', call, delayMs: verdict.requestDelayMs }, () => {
    const isLost = verdict.loss?.what === 'request';
    if (isLost || verdict.refusal !== undefined) {
      if (verdict.loss?.isSilent !== true) answer(() => reject(failure));
      return;
    }
    const end = (finish: () => void) => {
      if (verdict.loss === undefined) answer(finish);
      else if (!verdict.loss.isSilent) answer(() => reject(failure));
    };
    run(serverFor(link, call, verdict), SERVER_SIDE).then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
