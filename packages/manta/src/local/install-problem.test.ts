import { describe, expect, it } from 'vitest';
import { explainInstall } from './install-problem.ts';

const wanted = { requirement: 'ray[default,serve]==9.9.9', folder: '/cache/ray', advice: 'Take another.' };
const explain = (said: string) => explainInstall(wanted, said);

describe('why Ray could not be installed', () => {
  it.each([
    [
      'no network',
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError': /simple/ray/\nERROR: Could not find a version that satisfies the requirement ray (from versions: none)",
      'No package index answers, so Ray cannot be installed. Connect to the Internet',
    ],
    [
      'a version that does not exist',
      'ERROR: Could not find a version that satisfies the requirement ray==9.9.9 (from versions: 2.51.0, 2.52.0, 2.53.0, 2.60.0)',
      'There is no ray[default,serve]==9.9.9 for this Python; the newest are 2.52.0, 2.53.0, 2.60.0. Take another.',
    ],
    [
      'a network that goes away in the middle',
      "ERROR: Could not install packages due to an OSError: ('Connection broken: IncompleteRead(1048576 bytes read, 70000000 more expected)')",
      'The connection to the package index broke while Ray was fetched. Try again.',
    ],
    [
      'an index behind a certificate of one’s own',
      "WARNING: Retrying (Retry(total=0)) after connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]'))': /simple/ray/\nERROR: Could not find a version that satisfies the requirement ray (from versions: none)",
      'Name the certificates of your network in PIP_CERT',
    ],
    ['a full disk', 'ERROR: [Errno 28] No space left on device', 'The disk with /cache/ray is full'],
    [
      'anything else, in its own words',
      'ERROR: strange',
      'Ray could not be installed into /cache/ray:\nERROR: strange\n',
    ],
  ])('is told for %s', (_, said, expected) => {
    expect(explain(said)).toContain(expected);
  });
});
