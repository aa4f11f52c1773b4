import type { Clock } from '@manta/kube';
import type { VolumeSources } from './volumes.ts';

/** What the API server gives where a pod does not say how long a token is to live. */
export const TOKEN_SECONDS = 3600;
/** How much of its life a token is shown for, as by a kubelet. */
const KEPT_PART = 0.8;

/** The tokens of one pod, each asked for again when most of its life is over. */
export class KeptTokens {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly token: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same source, asked only where there is no token to show. */
  of(ask: VolumeSources['token']): VolumeSources['token'] {
    return async (audience, seconds) => {
      const key = `${seconds ?? TOKEN_SECONDS} ${audience ?? ''}`;
      const nowMs = this.#clock.now();
      const kept = this.#kept.get(key);
      if (kept !== undefined && nowMs < kept.untilMs) return kept.token;
      const token = await ask(audience, seconds);
      this.#kept.set(key, { token, untilMs: nowMs + (seconds ?? TOKEN_SECONDS) * 1000 * KEPT_PART });
      return token;
    };
  }
}
