import { ApiError, sleep } from '@manta/kube';
import { type Backoff, backoffDelay, type CheckResult, type World, withJitter } from '@manta/runtime';
import { type ClusterFacts, discoverFacts } from '../cluster/facts.ts';
import { StartError } from './start-error.ts';

/** The first contact with the API server, and its progress. */
export interface FirstContact {
  /**
   * Reads what the API server offers. Retries with exponential backoff while it cannot be reached, is too slow or fails. A definite
   * rejection ends the start with a `StartError`. Undefined if `stop` is aborted first.
   */
  facts(stop: AbortSignal): Promise<ClusterFacts | undefined>;
  /** For `/readyz`: fails until the API server has answered. */
  readonly check: () => CheckResult;
}

/** An overloaded API server is given more time with each attempt. */
const ATTEMPT: Backoff = { initialMs: 4_000, factor: 2, maxMs: 32_000 };
const PAUSE: Backoff = { initialMs: 250, factor: 2, maxMs: 15_000 };

export function createFirstContact(world: World, server: URL): FirstContact {
  const log = world.log.named('setup');
  let trouble: string | undefined = 'it has not answered yet';
  return {
    check: () => (trouble === undefined ? { isOk: true } : { isOk: false, reason: trouble }),
    async facts(stop) {
      for (let failures = 0; !stop.aborted; failures += 1) {
        try {
          const timeoutMs = backoffDelay(ATTEMPT, failures);
          const facts = await discoverFacts(world.client, { timeoutMs, signal: stop });
          trouble = undefined;
          return facts;
        } catch (error) {
          if (stop.aborted) return undefined;
          trouble = describe(error, server);
          if (!isTemporary(error)) throw new StartError(trouble, { cause: error });
          const retryMs = Math.round(withJitter(backoffDelay(PAUSE, failures), world.random));
          log.warn('The API server cannot be used yet, trying again', { reason: trouble, retryMs });
          await sleep(world.clock, retryMs, stop).catch(() => undefined);
        }
      }
      return undefined;
    },
  };
}

function describe(error: unknown, server: URL): string {
  const reason = error instanceof Error ? error.message : String(error);
  return reason.includes(server.host) ? reason : `cannot use the API server at ${server.origin}: ${reason}`;
}

const UNREACHABLE =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ERR_SOCKET_CLOSED|ERR_HTTP2_\w+)$/;

/** Whether the same request may succeed later: no answer in time, no connection, or a server that is overloaded or starting. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ApiError) return error.code >= 500 || error.code === 429 || error.code === 408;
  const code = codeOf(error);
  return code === undefined ? isTimeout(error) : UNREACHABLE.test(code);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /did not answer|does not answer/.test(error.message);
}

/** The code of the innermost cause that has one. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause);
  if (inner !== undefined) return inner;
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
