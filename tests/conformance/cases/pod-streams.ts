import { expect } from '../support/expect.ts';
import { expectRefusal } from '../support/expect-status.ts';
import { pod } from '../support/objects.ts';
import { pods } from '../support/paths.ts';
import type { Case, Target } from '../support/target.ts';

const two = {
  containers: [
    { name: 'a', image: 'x' },
    { name: 'b', image: 'x' },
  ],
};

async function made(t: Target, spec: object = {}): Promise<string> {
  const namespace = await t.namespace();
  await t.must('POST', pods(namespace), pod('p', { ...spec }));
  return pods(namespace, 'p');
}

export const cases: readonly Case[] = [
  {
    title: 'a pod of several containers must be told which one to log',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${await made(t, two)}/log`), {
        code: 400,
        reason: 'BadRequest',
        message: 'a container name must be specified for pod p, choose one of: [a b]',
      }),
  },
  {
    title: 'the log of a container that a pod does not have is refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${await made(t, two)}/log?container=c`), {
        code: 400,
        reason: 'BadRequest',
        message: 'container c is not valid for pod p',
      }),
  },
  {
    title: 'the log of a pod that no node has is no content',
    run: async (t) => {
      const answer = await t.request('GET', `${await made(t)}/log`);
      expect([answer.status, answer.text]).toEqual([204, '']);
    },
  },
  {
    title: 'the log of a pod that is not there is not found',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${pods(await t.namespace(), 'p')}/log`), {
        code: 404,
        message: 'pods "p" not found',
      }),
  },
  {
    title: 'options of a log that contradict each other are refused',
    run: async (t) =>
      expectRefusal(await t.request('GET', `${await made(t)}/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z`), {
        code: 422,
        reason: 'Invalid',
      }),
  },
  {
    title: 'the log of a pod whose node is not there is not found, under the name of the node',
    run: async (t) => {
      const node = t.unique('node');
      const answer = await t.request('GET', `${await made(t, { nodeName: node })}/log`);
      expectRefusal(answer, { code: 404, reason: 'NotFound', message: `pods "${node}" not found` });
    },
  },
  {
    title: 'exec into a pod that no node has is refused',
    run: async (t) =>
      expectRefusal(await t.request('POST', `${await made(t)}/exec?command=true`), {
        code: 400,
        reason: 'BadRequest',
        message: 'pod p does not have a host assigned',
      }),
  },
];
