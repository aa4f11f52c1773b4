import { describe, expect, it } from 'vitest';
import type { ServeAnswer } from '../observed.ts';
import { answersSomething, hasNothingToServe } from './serving.ts';

/** An answer of Serve with one application, its one deployment, and the replicas that take requests. */
function answer(status: string, deployment?: string, replicas?: number): { readonly serve: ServeAnswer } {
  const serveDeploymentStatuses = deployment === undefined ? {} : { main: { status: deployment } };
  return {
    serve: {
      kind: 'known',
      at: 0,
      applications: { app: { status, serveDeploymentStatuses } },
      servingReplicas: replicas === undefined ? undefined : new Map([['app', replicas]]),
      config: undefined,
    },
  };
}

describe('hasNothingToServe()', () => {
  it.each([
    ['a failed application without deployments', answer('DEPLOY_FAILED'), true],
    ['an unhealthy deployment without a running replica', answer('DEPLOY_FAILED', 'UNHEALTHY', 0), true],
    ['an unhealthy deployment of a Serve that lists no replicas', answer('DEPLOY_FAILED', 'UNHEALTHY'), true],
    ['an unhealthy deployment with a running replica', answer('DEPLOY_FAILED', 'UNHEALTHY', 1), false],
    ['a failed deployment with a running replica', answer('DEPLOY_FAILED', 'DEPLOY_FAILED', 2), false],
    ['a healthy deployment that is scaled to zero', answer('DEPLOY_FAILED', 'HEALTHY', 0), false],
    ['a running application that is scaled to zero', answer('RUNNING', 'HEALTHY', 0), false],
    ['a Serve that did not answer', { serve: { kind: 'unknown' } as const }, false],
  ])('of %s', (_, view, expected) => {
    expect(hasNothingToServe(view)).toBe(expected);
  });
});

describe('answersSomething()', () => {
  it.each([
    ['an unhealthy deployment with a running replica', answer('DEPLOY_FAILED', 'UNHEALTHY', 1), true],
    ['an unhealthy deployment without a running replica', answer('DEPLOY_FAILED', 'UNHEALTHY', 0), false],
    ['a healthy deployment of an earlier configuration', answer('DEPLOY_FAILED', 'HEALTHY', 0), true],
    ['a running application', answer('RUNNING'), true],
    ['an application that is being deployed', answer('DEPLOYING', 'UPDATING', 0), false],
  ])('of %s', (_, view, expected) => {
    expect(answersSomething(view)).toBe(expected);
  });
});
