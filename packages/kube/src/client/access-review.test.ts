import { describe, expect, onTestFinished, test } from 'vitest';
import { type AccessRule, isGranted, mayI, myRules } from './access-review.ts';
import { answer, startFaultyApi } from '../testing/index.ts';

const rule = (change: Partial<AccessRule>): AccessRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [],
  ...change,
});

describe('a rule grants what it names', () => {
  const podStatus = { verb: 'get', group: '', resource: 'pods', subresource: 'status' };
  test.each([
    ['the very same', rule({}), { verb: 'get', group: '', resource: 'pods' }, true],
    ['another verb is not granted', rule({}), { verb: 'list', group: '', resource: 'pods' }, false],
    ['another group is not granted', rule({}), { verb: 'get', group: 'batch', resource: 'pods' }, false],
    ['stars', rule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }), podStatus, true],
    ['a resource does not grant its subresources', rule({}), podStatus, false],
    ['a named subresource', rule({ resources: ['pods/status'] }), podStatus, true],
    ['a subresource of everything', rule({ resources: ['*/status'] }), podStatus, true],
    [
      'one name does not grant all',
      rule({ resourceNames: ['a'] }),
      { verb: 'get', group: '', resource: 'pods' },
      false,
    ],
    [
      'one name grants itself',
      rule({ resourceNames: ['a'] }),
      { verb: 'get', group: '', resource: 'pods', name: 'a' },
      true,
    ],
  ])('%s', (_, granted, question, isAllowed) => {
    expect(isGranted({ rules: [granted], isIncomplete: false }, question)).toBe(isAllowed);
  });
});

test('reviews are asked and answered', async () => {
  const api = await startFaultyApi();
  onTestFinished(() => api.close());
  const { server, client } = api;
  server.script(
    answer(201, { status: { allowed: true, reason: 'RBAC: allowed by x' } }),
    answer(201, { status: { allowed: false } }),
    answer(201, { status: { incomplete: true, resourceRules: [{ verbs: ['get'], resources: ['pods'] }] } }),
  );
  const question = { verb: 'create', group: 'ray.io', resource: 'rayclusters', namespace: 'ns' };
  expect(await mayI(client, question)).toEqual({ isAllowed: true, reason: 'RBAC: allowed by x' });
  expect(await mayI(client, question)).toEqual({ isAllowed: false, reason: '' });
  expect(await myRules(client, 'ns')).toEqual({
    rules: [{ verbs: ['get'], apiGroups: [], resources: ['pods'], resourceNames: [] }],
    isIncomplete: true,
  });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ spec: { resourceAttributes: question } });
});
