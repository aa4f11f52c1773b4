import type { StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import type { RayRequest, RayResponse, RaySend } from '@manta/ray';
import type { FakeRequest, FakeResponse } from '@manta/ray/testing';
import { quietly } from '../raycluster/quietly.ts';
import type { Outside } from '../scenario.ts';
import { type RayWorld, rayWorldOf } from './ray-world.ts';

/** How the operator's questions travel to heads: each is a message, and so is its answer. */
export function sendToRay({ backstage, exchange, crash }: Outside): RaySend {
  const world = rayWorldOf(backstage);
  const crashAt = (point: RayWorld['crashAt']) => {
    if (world.crashAt !== point) return false;
    world.crashAt = undefined;
    return crash();
  };
  return async (request) => {
    const seen = seenBy(request);
    if (crashAt('sending')) return await NEVER;
    const outcome = await exchange(`Ray ${request.method} ${seen.path}`, (): FakeResponse | 'silence' => {
      const pod = world.podOf(clusterOf(request.url));
      if (pod === undefined) throw failure('ECONNREFUSED');
      const mood = world.headOf(pod).moodOf(seen);
      if (mood.kind === 'dead') throw failure('ECONNREFUSED');
      if (mood.kind === 'hanging') return 'silence';
      if (mood.kind === 'wrong') return { status: mood.status ?? 200, body: mood.body ?? '', contentType: 'text/html' };
      const answer = world.answer(pod, seen);
      crashAt('acting');
      if (request.method === 'POST' && crashAt('together')) loseHead(backstage, pod);
      if (mood.kind === 'lost') throw failure('ECONNRESET');
      return answer;
    });
    if (crashAt('hearing')) return await NEVER;
    return outcome === 'silence' ? await forEver(request.signal) : toResponse(outcome);
  };
}

/** They ran on the same machine. */
function loseHead({ client }: Outside['backstage'], { metadata: { name, namespace = '' } }: StoredObject): void {
  void quietly(client.delete(resources.pods, { name, namespace }));
}

const NEVER = new Promise<never>(() => undefined);

/** `http://a-xyz-head-svc.default.svc.cluster.local:8265/…` is the head of `a-xyz`. */
export function clusterOf(url: string): string {
  return new URL(url).hostname.split('-head-svc')[0] ?? '';
}

function seenBy({ method, url, headers, body = '' }: RayRequest): FakeRequest {
  const { pathname, search } = new URL(url);
  return { method, path: `${pathname}${search}`, headers, body };
}

function failure(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

function forEver(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function toResponse({ status, body }: FakeResponse): RayResponse {
  async function* bytes() {
    yield new TextEncoder().encode(body);
  }
  return { status, headers: {}, body: bytes() };
}
