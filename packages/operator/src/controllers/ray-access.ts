import { RAY_LIMITS } from '@manta/base';
import { type AnswerNote, createRayPoller, type RayPoller, type RaySend } from '@manta/ray';
import type { Controller, MetricsRegistry, World } from '@manta/runtime';
import type { RayClusterCache } from '../observe/ray-cluster-cache.ts';
import { createRayHeads, type RayHeads } from '../observe/ray-heads.ts';

/** How controllers reach Ray: one shared poller, and the addresses of heads. */
export interface RayAccess {
  readonly poller: RayPoller;
  readonly heads: RayHeads;
  readonly throughApiServer: boolean;
  /** News for owners called `<kind>/<key>` put that key on the controller's queue. */
  tell(kind: string, controller: Pick<Controller, 'enqueue'>): void;
}

export interface RayAccessOptions {
  readonly cache: RayClusterCache;
  readonly send: RaySend;
  readonly clusterDomain: string;
  /** Heads are asked through the API server's proxy. */
  readonly throughApiServer: boolean;
  readonly rayToken?: (() => Promise<string | undefined>) | undefined;
}

export function createRayAccess(world: World, options: RayAccessOptions): RayAccess {
  const { cache, send, clusterDomain, throughApiServer, rayToken } = options;
  const { clock, random, client } = world;
  const controllers = new Map<string, Pick<Controller, 'enqueue'>>();
  const poller = createRayPoller({
    clock,
    random,
    send,
    // A response through the API server's proxy takes longer.
    ...(throughApiServer ? { questionTimeoutMs: RAY_LIMITS.proxiedQuestionMs } : {}),
    onAnswer: countAnswers(world.metrics),
    onNews(owner) {
      const slash = owner.indexOf('/');
      controllers.get(owner.slice(0, slash))?.enqueue(owner.slice(slash + 1));
    },
  });
  const heads = createRayHeads({ cache, client, clock, clusterDomain, throughApiServer, rayToken });
  return { poller, heads, throughApiServer, tell: (kind, controller) => void controllers.set(kind, controller) };
}

/** Metrics of the poller's cost: the number of responses, and the bytes that were parsed. */
function countAnswers(metrics: MetricsRegistry): (note: AnswerNote) => void {
  const answers = metrics.counter('manta_ray_answers_total', 'Answers of Ray heads by question and outcome.');
  const bytes = metrics.counter('manta_ray_answer_bytes_total', 'Bytes of answers of Ray heads, read and parsed.');
  return ({ question, outcome, bytesRead, bytesParsed }) => {
    answers.add({ question, outcome });
    bytes.add({ question, work: 'read' }, bytesRead);
    bytes.add({ question, work: 'parsed' }, bytesParsed);
  };
}
