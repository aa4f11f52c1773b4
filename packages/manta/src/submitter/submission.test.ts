import { describe, expect, it } from 'vitest';
import { readSubmission, type SubmitterFlags } from './submission.ts';

const env = { RAY_DASHBOARD_ADDRESS: 'head-svc.ns.svc:8265', RAY_JOB_SUBMISSION_ID: 'job-1' };
const read = (flags: SubmitterFlags = {}, words = ['python', 'app.py'], variables: object = env) =>
  readSubmission(flags, words, { ...variables });

describe('readSubmission()', () => {
  it('joins the words of the entrypoint and finds the head', () => {
    expect(read()).toMatchObject({
      head: { url: 'http://head-svc.ns.svc:8265', token: undefined },
      request: { entrypoint: 'python app.py', submissionId: 'job-1' },
    });
  });

  it('keeps a scheme and takes the token', () => {
    const variables = { ...env, RAY_DASHBOARD_ADDRESS: 'https://head/', RAY_AUTH_TOKEN: 'secret' };
    expect(read({}, ['x'], variables).head).toEqual({ url: 'https://head', token: 'secret' });
  });

  it('hands over everything that the flags say', () => {
    const flags = {
      runtimeEnvJson: '{"pip":["x"]}',
      metadataJson: '{"a":"b"}',
      entrypointResources: '{"r":1.5}',
      entrypointNumCpus: 2,
      entrypointNumGpus: 0.5,
    };
    expect(read(flags).request).toMatchObject({
      runtimeEnv: { pip: ['x'] },
      metadata: { a: 'b' },
      entrypointResources: { r: 1.5 },
      entrypointNumCpus: 2,
      entrypointNumGpus: 0.5,
    });
  });

  it.each([
    [{}, ['x'], { RAY_JOB_SUBMISSION_ID: 'j' }, 'missing RAY_DASHBOARD_ADDRESS in environment variables'],
    [{}, ['x'], { RAY_DASHBOARD_ADDRESS: 'h' }, 'missing RAY_JOB_SUBMISSION_ID in environment variables'],
    [{}, [], env, 'there is nothing to run'],
    [{ runtimeEnvJson: '{' }, ['x'], env, '--runtime-env-json is no JSON'],
    [{ metadataJson: '[]' }, ['x'], env, '--metadata-json must be a JSON object'],
    [{ metadataJson: '{"a":1}' }, ['x'], env, '--metadata-json must hold texts only; a is none'],
    [{ entrypointResources: '{"a":"1"}' }, ['x'], env, '--entrypoint-resources must hold numbers only; a is none'],
  ])('refuses %j %j %j', (flags, words, variables, message) => {
    expect(() => read(flags, words, variables)).toThrow(message);
  });
});
