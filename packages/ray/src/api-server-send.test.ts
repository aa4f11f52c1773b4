import { FakeClock } from '@manta/runtime/testing';
import { expect, test } from 'vitest';
import { sendThroughApiServerProxy } from './api-server-send.ts';
import { createRayClient } from './ray-client.ts';
import { FakeHead } from './testing/fake-head.ts';

test("a head behind the API server's proxy is reached by its path, with the head's own token beside the API server's credentials", async () => {
  const clock = new FakeClock();
  const head = new FakeHead({ now: () => clock.now() });
  const prefix = '/api/v1/namespaces/ns/services/x-head-svc:dashboard/proxy';
  const paths: string[] = [];
  const send = sendThroughApiServerProxy({
    async send({ method, path, headers, body = '' }) {
      paths.push(path);
      const answer = head.answer({ method, path: path.slice(prefix.length), headers, body });
      expect(headers['x-ray-authorization']).toBe('Bearer t');
      expect(headers).not.toHaveProperty('authorization');
      return {
        status: answer.status,
        headers: {},
        body: (async function* () {
          yield Buffer.from(answer.body);
        })(),
      };
    },
  });
  const client = createRayClient({ clock, send, head: { url: prefix, token: 't' } });
  await client.submitJob({ entrypoint: 'x', submissionId: 'j' });
  expect(await client.getJob('j')).toMatchObject({ status: 'PENDING' });
  expect(paths).toEqual([`${prefix}/api/jobs/`, `${prefix}/api/jobs/j`]);
});
