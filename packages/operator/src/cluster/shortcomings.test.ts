import { getEventListeners } from 'node:events';
import { ApiError, type CallOptions, type KubeClient } from '@manta/kube';
import { createLogger, createMetricsRegistry, encodeJson } from '@manta/runtime';
import { FakeClock } from '@manta/runtime/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { createShortcomings } from './shortcomings.ts';

const wanted = [{ verb: 'create', group: '', resource: 'pods', neededFor: 'pods' }] as const;
const answer = (code: number, message: string) => new ApiError({ method: 'POST', path: '/x' }, code, message);

let clock: FakeClock;
let looks: number;
let said: string[];
let mayCreatePods: boolean;
/** What a dry-run create of a RayCluster is answered with. */
let probe: () => unknown;

const client = {
  post: (path: string, _body: unknown, { signal }: CallOptions) => {
    signal?.throwIfAborted();
    if (path.endsWith('selfsubjectrulesreviews')) looks += 1;
    return Promise.resolve({ status: { allowed: mayCreatePods } });
  },
  create: () => Promise.try(probe),
} as unknown as KubeClient;

function shortcomings(using: KubeClient = client) {
  const write = (line: string) => void said.push(JSON.parse(line).msg);
  const sink = { write, flush: async () => {}, flushSync() {}, takeDropped: () => 0 };
  const log = createLogger({ clock, main: { sink, encode: encodeJson } });
  return createShortcomings({ client: using, clock, log, metrics: createMetricsRegistry(), wanted, namespaces: [] });
}

beforeEach(() => {
  clock = new FakeClock();
  looks = 0;
  said = [];
  mayCreatePods = true;
  probe = () => ({});
});

describe('watch()', () => {
  it('looks once where nothing is missing', async () => {
    await shortcomings().watch(new AbortController().signal);
    expect(looks).toBe(1);
  });

  it('looks each minute while a permission is missing, says so once, and leaves no listener behind', async () => {
    mayCreatePods = false;
    const stop = new AbortController();
    const found = shortcomings();
    const watching = found.watch(stop.signal);
    await clock.advance(10 * 60_000);
    expect(looks).toBe(11);
    expect(said).toEqual(['Permissions are missing, what needs them is off']);
    expect(found.permissionsCheck().isOk).toBe(true);
    expect(getEventListeners(stop.signal, 'abort').length).toBeLessThanOrEqual(1);
    mayCreatePods = true;
    await clock.advance(60_000);
    await watching;
    expect(said.at(-1)).toBe('All permissions are there now');
  });

  it('goes on looking while RayClusters are not served, since what arrives may be old', async () => {
    probe = () => {
      throw answer(404, 'the server could not find the requested resource');
    };
    const found = shortcomings();
    void found.watch(new AbortController().signal);
    await clock.advance(0);
    probe = () => {
      throw answer(400, 'strict decoding error: unknown field "spec.tlsOptions"');
    };
    await clock.advance(60_000);
    expect(found.crdsCheck()).toMatchObject({ note: expect.stringContaining('RayCluster lacks spec.tlsOptions') });
    expect(said).toContain('The installed CRD is older than ours');
  });

  it('gives up its questions when it is told to stop', async () => {
    const hanging = {
      post: (_path: string, _body: unknown, { signal }: CallOptions) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error))),
      create: () => Promise.resolve({}),
    } as unknown as KubeClient;
    const stop = new AbortController();
    const watching = shortcomings(hanging).watch(stop.signal);
    await clock.settle();
    stop.abort(new Error('enough'));
    await watching;
    expect(said).toEqual([]);
  });
});
