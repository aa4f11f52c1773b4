import { describe, expect, it } from 'vitest';
import { NOW } from '../testing/observed.ts';
import { ago, done, IS_SILENT, observedJob, running, says, planJob } from './testing/observed-job.ts';

const first = { number: 1, rayClusterName: 'job-x', submissionId: 'job-id', startTime: ago(60) };
type Options = NonNullable<Parameters<typeof running>[0]>;
const after = ({ status, ...options }: Options) =>
  planJob(running({ submitter: done(), ...options, status: { attempts: [first], ...status } })).status?.attempts;

describe('an attempt', () => {
  it('is listed before anything is made for it', () => {
    const { status } = planJob(observedJob());
    const { jobId = '', rayClusterName = '' } = status ?? {};
    expect(status?.attempts).toEqual([{ number: 1, rayClusterName, submissionId: jobId, startTime: ago(0) }]);
  });

  const outcomes: Readonly<Record<string, readonly [Options, string, string | undefined]>> = {
    'ends in success': [{ answer: says('SUCCEEDED') }, 'Succeeded', undefined],
    'ends by a stop': [{ answer: says('STOPPED') }, 'Stopped', undefined],
    'ends in failure': [{ answer: says('FAILED') }, 'Failed', 'AppFailed'],
    'ends in failure and is followed by another': [
      { answer: says('FAILED'), spec: { backoffLimit: 1 } },
      'Failed',
      'AppFailed',
    ],
    'ends by suspension': [{ spec: { suspend: true, shutdownAfterJobFinishes: true } }, 'Suspended', undefined],
    'is lost, not failed, when nobody can tell': [
      { answer: IS_SILENT, status: { jobStatusCheckFailureStartTime: ago(300) } },
      'Lost',
      'JobStatusCheckTimeoutExceeded',
    ],
  };
  it.each(Object.entries(outcomes))('%s', (_, [options, outcome, reason]) => {
    const end = { endTime: ago(0), outcome, ...(reason === undefined ? {} : { reason }) };
    expect(after(options)).toEqual([{ ...first, ...end }]);
  });

  it('goes on as long as it goes on', () => {
    expect(after({ answer: says('PENDING') })).toEqual([first]);
  });

  it('that Ray has started anew under the same id is another one, whoever submitted it', () => {
    const again = says('PENDING', { startTime: NOW - 1000 });
    const attempts = after({ answer: again, status: { rayJobInfo: { startTime: ago(50) } } });
    expect(attempts?.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'Lost'],
      [2, undefined],
    ]);
  });

  it('is the same one when Ray’s clock was corrected a little', () => {
    const again = says('PENDING', { startTime: NOW - 49_000 });
    expect(after({ answer: again, status: { rayJobInfo: { startTime: ago(50) } } })).toHaveLength(1);
  });

  it('is one of the last twenty', () => {
    const attempts = Array.from({ length: 20 }, (_, index) => ({ ...first, number: index + 1 }));
    const { status } = planJob(observedJob({ status: { attempts } }));
    expect(status?.attempts?.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });

  it('is not listed where the server has no room for it, and nothing is written for that', () => {
    expect(planJob(running({ answer: says('RUNNING') })).status).toBeUndefined();
  });
});
