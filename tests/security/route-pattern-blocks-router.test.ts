import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../../packages/router/src/testing/ask.ts';
import { gatewayOf, routeOf } from '../../packages/router/src/testing/objects.ts';
import { type RouterUnderAttack, startRouter } from './router/start-router.ts';

let router: RouterUnderAttack;

beforeEach(async () => {
  router = await startRouter();
});
afterEach(() => router.stop());

const HANG_MS = 15_000;

/** Serves one route with this pattern and sends it a request; fails if the router is blocked. */
async function attack(pattern: string, path: string) {
  const rules = [{ matches: [{ path: { type: 'RegularExpression', value: pattern } }] }];
  const routes = await router.serve({ gateways: [gatewayOf('g')], routes: [routeOf('r', 'g', [], { rules })] });
  const [verdict] = routes['default/r'] ?? [];
  const accepted = verdict?.conditions.find(({ type }) => type === 'Accepted');
  const answer = await Promise.race([
    ask(router.port, { path }),
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error('the router is blocked')), HANG_MS).unref();
    }),
  ]);
  return { accepted, answer };
}

describe('a path pattern of an HTTPRoute', () => {
  it.each([
    ['nested repetitions', '/(a+)+', `/${'a'.repeat(60)}!`],
    ['ambiguous repetitions', '/(a|a)*b', `/${'a'.repeat(60)}`],
    ['overlapping repetitions', '/(x+x+)+y', `/${'x'.repeat(60)}`],
  ])('does not block the router: %s', async (_, pattern, path) => {
    const { accepted, answer } = await attack(pattern, path);
    expect(accepted).toMatchObject({ status: 'True' });
    expect(answer.status).toBe(404);
  });

  it('that needs many steps for a character costs a long path no more than its budget', async () => {
    const { answer } = await attack('/[ab]*a[ab]{200}x', `/${'ab'.repeat(4_000)}`);
    expect(answer.status).toBe(414);
    expect(answer.body).toContain('too long for the patterns');
  });

  it.each([
    ['look-ahead', '/(?=a)b', /is not supported.*no look-around/],
    ['back-references', '/(a)\\1', /is not supported.*no back-references/],
    ['a huge program', '/(a|b|c|d){900}', /compiles to|repeats too much/],
    ['an endless text', `/${'a?'.repeat(2_000)}`, /longer than 1024 characters/],
  ])('that the router cannot match in linear time is refused: %s', async (_, pattern, message) => {
    const { accepted, answer } = await attack(pattern, '/a');
    expect(accepted).toMatchObject({ status: 'False', reason: 'UnsupportedValue' });
    expect(accepted?.message).toMatch(message);
    expect(answer.status).toBe(404);
  });
});
