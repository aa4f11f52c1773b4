import { useState } from 'react';

export interface Action {
  /** What the API server said about the last one that failed. */
  readonly problem: string;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>) => void;
}

/** Runs one request at a time and keeps what went wrong, in the words of the API server. */
export function useAction(): Action {
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const run = (work: () => Promise<unknown>) => {
    setProblem('');
    setBusy(true);
    work()
      .catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
      .finally(() => setBusy(false));
  };
  return { problem, isBusy, run };
}
