import type { ServeApplication } from '@manta/ray';
import { describe, expect, it } from 'vitest';
import { serveAnswer } from './rayservice-answers.ts';

describe('serveAnswer()', () => {
  const application = (replicas: readonly (number | undefined)[]): ServeApplication => ({
    status: 'DEPLOY_FAILED',
    message: '',
    deployments: Object.fromEntries(
      replicas.map((servingReplicas, index) => [`d${index}`, { status: 'UNHEALTHY', message: '', servingReplicas }]),
    ),
  });

  it('counts the replicas that take requests by application, and keeps them out of the status', () => {
    const applications = { a: application([1, 2]), '': application([0, undefined]) };
    const answer = serveAnswer({ kind: 'known', at: 5, value: { applications, proxies: {} } });
    const serveDeploymentStatuses = { d0: { status: 'UNHEALTHY' }, d1: { status: 'UNHEALTHY' } };
    expect(answer).toMatchObject({
      kind: 'known',
      servingReplicas: new Map([
        ['a', 3],
        ['default', 0],
      ]),
      applications: {
        a: { status: 'DEPLOY_FAILED', serveDeploymentStatuses },
        default: { status: 'DEPLOY_FAILED', serveDeploymentStatuses },
      },
    });
    expect(JSON.stringify(answer.kind === 'known' ? answer.applications : {})).not.toContain('Replicas');
  });
});
