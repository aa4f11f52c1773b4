import { type CommandResult, RayCallError, type RayCallFailure } from '@manta/ray';
import { describe, expect, it } from 'vitest';
import { answerOf, commandsOf } from './rayjob-answers.ts';

const head = { url: 'http://head', session: 's' };

function failing(failure: RayCallFailure, body: string) {
  const error = new RayCallError('no', { failure, body, method: 'GET', url: 'http://head', didNothing: true });
  const poller = { ask: () => ({ kind: 'failing', error, since: 1, at: 2 }) };
  return answerOf(poller as never, { isFound: true, head } as never, 'id', { owner: 'o', everyMs: 1, forMs: 1 }, 9);
}

describe('an answer that does not tell of the job', () => {
  it.each([
    ['an error with a JSON object', 'status', '{"error": 1}', true],
    ['a JSON object without a status', 'unreadable', '{"detail": "x"}', true],
    ['null', 'unreadable', 'null', true],
    ['a list', 'unreadable', '[]', false],
    ['a page', 'unreadable', '<html>', false],
    ['an error with a page', 'status', '<html>', false],
    ['an error of the API server in between', 'status', '{"kind":"Status","code":503}', false],
    ['no answer', 'unreachable', '', false],
  ] as const)('%s is told from a head that cannot be understood', (_what, failure, body, isMalformed) => {
    expect(failing(failure, body)).toMatchObject({ kind: 'failing', isMalformed });
  });
});

describe('a submission', () => {
  const submitted = (alreadyExisted: boolean): CommandResult => ({
    id: 'submit/id',
    command: { kind: 'submit', request: { entrypoint: 'x', submissionId: 'id' } },
    session: 's',
    startedAt: 1,
    state: 'done',
    at: 2,
    outcome: { kind: 'submit', submissionId: 'id', alreadyExisted },
  });

  it('is done when Ray has taken it', () => {
    expect(commandsOf([submitted(false)], 'id').submission).toEqual({ state: 'done', at: 2 });
  });

  it('has come to nothing, for now, when Ray says that the id is in use: whether it has that job shows when it is asked', () => {
    expect(commandsOf([submitted(true)], 'id').submission).toMatchObject({ state: 'failed', at: 2 });
  });
});
