import type { KubeClient, Transport } from '@manta/kube';
import { describe, expect, it } from 'vitest';
import { passToApiServer } from './pass-to-api-server.ts';

const SERVICE = '/api/v1/namespaces/default/services/head:8265/proxy/';

/** Passes a GET on to a server that answers everything with this status and a body without an end. */
async function pass(path: string, status: number) {
  const sent: Parameters<Transport['send']>[0][] = [];
  const accepted: boolean[] = [];
  let ends = 0;
  async function* endless() {
    for (;;) yield Buffer.alloc(1024);
  }
  const transport: Transport = {
    send: async (request) => {
      sent.push(request);
      return { status, headers: {}, body: endless() };
    },
    close: async () => undefined,
  };
  // Only `list` is asked: whether the Service belongs to a Ray cluster.
  const client = { list: async () => ({ metadata: {}, items: [{}] }) } as unknown as KubeClient;
  const answer = await passToApiServer(new Request(`http://console${path}`), {
    client,
    transport,
    caller: 'client',
    hasComputeTemplates: false,
    signal: new AbortController().signal,
    onAnswer: (isAccepted) => accepted.push(isAccepted),
    onEnd: () => (ends += 1),
  });
  await answer.body?.cancel();
  return { answer, sent, accepted, ends };
}

describe('passToApiServer()', () => {
  it.each([
    ['of the API server says that the credentials are not accepted', '/apis/ray.io/v1/rayjobs', false],
    ["of a tenant's Service says nothing about the credentials", SERVICE, true],
  ])('a 401 %s', async (_, path, isAccepted) => {
    const { answer, accepted } = await pass(path, 401);
    expect([answer.status, accepted]).toEqual([401, [isAccepted]]);
  });

  it('reads no answer before it passes it on: a Service could answer without an end', async () => {
    const { sent } = await pass(SERVICE, 503);
    expect(sent).toMatchObject([{ takesEveryAnswer: true }]);
  });

  it('ends an answer whose status is none', async () => {
    const { answer, ends } = await pass(SERVICE, 700);
    expect([answer.status, ends]).toEqual([502, 1]);
  });

  it('reports the end of an answer that nobody listens to any more', async () => {
    expect((await pass('/apis/ray.io/v1/rayjobs?watch=true', 200)).ends).toBe(1);
  });

  it('reports no acceptance for what the console itself refuses', async () => {
    const { answer, accepted } = await pass('/apis/apps/v1/deployments', 200);
    expect([answer.status, accepted]).toEqual([404, []]);
  });
});
