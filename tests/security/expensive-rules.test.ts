import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer, statusOf } from './support/api-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
/** A backtracking matcher takes 2^60 steps for it. */
const EVIL_PATTERN = '^(a+)+$';
const EVIL_TEXT = `${'a'.repeat(60)}!`;

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
});

afterAll(() => server.stop());

let kinds = 0;

/** Defines a kind whose spec has this schema, and gives the answer to an object with that spec. */
async function create(schema: object, spec: unknown) {
  const group = `g${kinds++}.example.com`;
  const defined = await server.admin('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
        },
      ],
    },
  });
  expect(defined.status).toBe(201);
  return server.admin('POST', `/apis/${group}/v1/namespaces/default/widgets`, {
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: { name: 'w' },
    spec,
  });
}

const text = { type: 'string' };
const list = { type: 'array', items: { type: 'integer' } };
const withRule = (schema: object, rule: string) => ({ ...schema, 'x-kubernetes-validations': [{ rule }] });
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('pattern of a schema', () => {
  it('is matched in linear time', async () => {
    const answer = await create({ ...text, pattern: EVIL_PATTERN }, EVIL_TEXT);
    expect(answer.status).toBe(422);
    expect(statusOf(answer).message).toContain(`should match '${EVIL_PATTERN}'`);
  });

  it('with many instructions is not matched against a long text, and the refusal gives the limit', async () => {
    const answer = await create({ ...text, pattern: '(a|aa|aaa|aaaa){1,200}$' }, 'a'.repeat(500_000));
    expect(answer.status).toBe(422);
    expect(statusOf(answer).message).toMatch(/takes too long to be matched.*the limit is 10000000 steps/);
  });

  it('has one budget for all texts of an object', async () => {
    const items = { ...text, pattern: '(a|aa|aaa|aaaa){1,200}$' };
    const answer = await create({ type: 'array', items }, Array(1000).fill('a'.repeat(1000)));
    expect(statusOf(answer).message).toMatch(/takes too long to be matched/);
  });
});

describe('format of a schema', () => {
  it('duration is checked in linear time', async () => {
    const answer = await create({ ...text, format: 'duration' }, `${'1'.repeat(1_000_000)}x`);
    expect(answer.status).toBe(422);
  });
});

describe('CEL rule', () => {
  it.each([
    ['as the whole rule', `self.matches('${EVIL_PATTERN}')`],
    ['inside of a rule', `!(size(self) > 0 && self.matches('${EVIL_PATTERN}')) && false`],
    ['by find', `self.find('${EVIL_PATTERN}') != ''`],
    ['by findAll', `size(self.findAll('${EVIL_PATTERN}')) > 0`],
  ])('matches a pattern in linear time: %s', async (_where, rule) => {
    const answer = await create(withRule(text, rule), EVIL_TEXT);
    expect(answer.status).toBe(422);
    expect(statusOf(answer).message).toContain('failed rule');
  });

  it.each([
    ['three nested loops', 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))', list, numbers(400)],
    ['errors in loops', 'self.exists(a, self.exists(b, self.exists(c, a / 0 == 1)))', list, numbers(400)],
    ['comparisons of large values', 'self.all(a, self == self || self != self)', list, numbers(20_000)],
    ['replacements', "self.replace('', self).replace('', self) != 'x'", text, 'x'.repeat(5000)],
    [
      'patterns',
      "self.all(a, a.matches('(a|aa|aaa|aaaa){1,200}$'))",
      { type: 'array', items: text },
      Array(300).fill('a'.repeat(500)),
    ],
  ])('that costs too much by %s ends the check', async (_what, rule, schema, spec) => {
    const answer = await create(withRule(schema, rule), spec);
    expect(answer.status).toBe(422);
    expect(statusOf(answer).message).toMatch(
      /operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit/,
    );
  });

  it('shares one budget with all other rules of the object', async () => {
    const items = withRule(list, 'self.all(a, self.all(b, a + b >= 0))');
    const answer = await create({ type: 'array', items }, Array(60).fill(numbers(200)));
    expect(answer.status).toBe(422);
    expect(statusOf(answer).message).toContain(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('of usual cost is evaluated for a large object', async () => {
    const rule = "self.all(a, a.matches('^[a-z0-9-]+$') && self.exists_one(b, b == a))";
    const names = numbers(150).map((i) => `name-${i}`);
    expect((await create(withRule({ type: 'array', items: text }, rule), names)).status).toBe(201);
  });
});

describe('match condition of a webhook', () => {
  it('that costs too much refuses the request', async () => {
    const expression = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "")))';
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const created = await server.admin('POST', path, {
      metadata: { name: 'expensive' },
      webhooks: [
        {
          name: 'expensive.example.com',
          clientConfig: { url: 'https://127.0.0.1:1/never' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          matchConditions: [{ name: 'expensive', expression }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    expect(created.status).toBe(201);
    const data = Object.fromEntries(numbers(500).map((i) => [`k${i}`, 'v']));
    const answer = await server.admin('POST', configMaps, { metadata: { name: 'x' }, data });
    expect(answer.status).toBe(403);
    expect(statusOf(answer).message).toContain('cost limit exceeded');
    await server.admin('DELETE', `${path}/expensive`);
  });
});
