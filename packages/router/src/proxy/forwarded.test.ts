import { describe, expect, it } from 'vitest';
import { setForwarded, trustNetworks } from './forwarded.ts';
import { toFields } from './headers.ts';

const ORIGIN = { remoteAddress: '2.2.2.2', host: 'example.com', isSecure: false };
const CLAIMS = [
  'X-Forwarded-For',
  '1.1.1.1',
  'X-Forwarded-Proto',
  'https',
  'X-Real-IP',
  '1.1.1.1',
  'Forwarded',
  'for=x',
];

describe('headers about the client', () => {
  it('follow what a trusted proxy said', () => {
    const headers = [...CLAIMS];
    setForwarded(headers, ORIGIN, true);
    expect(toFields(headers)).toEqual({
      'x-forwarded-for': '1.1.1.1, 2.2.2.2',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'example.com',
      'x-real-ip': '1.1.1.1',
      forwarded: 'for=x',
    });
  });

  it('replace what any other client said, also under names with underscores', () => {
    const headers = [...CLAIMS, 'X_Forwarded_For', '9.9.9.9', 'x-forwarded-client-cert', 'me', 'x-other', 'kept'];
    setForwarded(headers, ORIGIN, false);
    expect(toFields(headers)).toEqual({
      'x-other': 'kept',
      'x-forwarded-for': '2.2.2.2',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'example.com',
      'x-real-ip': '2.2.2.2',
    });
  });
});

describe('trusted networks', () => {
  it('hold addresses and networks of both families', () => {
    const trust = trustNetworks(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
    expect(['10.1.2.3', '192.0.2.7', 'fd00::1'].map(trust)).toEqual([true, true, true]);
    expect(['11.1.2.3', '192.0.2.8', 'fe00::1', '', 'x'].map(trust)).toEqual([false, false, false, false, false]);
  });

  it.each(['', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/-1', '10.0.0.0/', 'host'])(
    'refuse %j',
    (network) => {
      expect(() => trustNetworks([network])).toThrow(JSON.stringify(network));
    },
  );
});
