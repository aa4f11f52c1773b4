import { ApiError, type AccessQuestion, type Clock, type KubeClient, mayI } from '@manta/kube';

/** How often a right that an open stream needs is checked again. */
const RECHECK_MS = 60_000;

export interface WhileAllowed {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** The end of the stream; nothing is asked any more afterwards. */
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted with `signal`, and as soon as a check finds that the viewer no longer has a right. It does not ask at the
 * beginning: the request that opens the stream does. An API server that does not answer leaves the stream open.
 */
export function whileAllowed(question: AccessQuestion, { client, clock, signal }: WhileAllowed): AbortSignal {
  const withdrawn = new AbortController();
  const schedule = () => {
    const cancel = clock.setTimer(RECHECK_MS, () => {
      signal.removeEventListener('abort', cancel);
      if (signal.aborted) return;
      void check();
    });
    signal.addEventListener('abort', cancel, { once: true });
  };
  const check = async () => {
    const reason = await lost(client, question, signal);
    if (reason === undefined) schedule();
    else withdrawn.abort(new Error(reason));
  };
  schedule();
  return AbortSignal.any([signal, withdrawn.signal]);
}

async function lost(client: KubeClient, question: AccessQuestion, signal: AbortSignal): Promise<string | undefined> {
  const { verb, resource, subresource, namespace } = question;
  try {
    if ((await mayI(client, question, { signal })).isAllowed) return undefined;
    const what = subresource === undefined ? resource : `${resource}/${subresource}`;
    return `your access was withdrawn: you may no longer ${verb} ${what} in namespace ${namespace ?? 'any'}`;
  } catch (error) {
    const isRejected = error instanceof ApiError && error.code === 401;
    return isRejected ? 'the API server no longer accepts your credentials' : undefined;
  }
}
