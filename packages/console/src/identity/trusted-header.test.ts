import { describe, expect, it } from 'vitest';
import { userNamedIn } from './trusted-header.ts';

const SECRET = 'proxy-secret-proxy-secret';
const OPTIONS = { secret: SECRET, userHeader: 'x-user', groupsHeader: 'x-groups' };
/** A header as Node gives it: a character for each byte. */
const named = (user: Buffer, groups = Buffer.from('')) =>
  userNamedIn(
    new Headers({
      'x-manta-proxy-secret': SECRET,
      'x-user': user.toString('latin1'),
      'x-groups': groups.toString('latin1'),
    }),
    OPTIONS,
  );

describe('userNamedIn()', () => {
  it('reads names as UTF-8', () => {
    expect(named(Buffer.from('jürgen.groß'), Buffer.from('ops, größe'))).toEqual({
      user: 'jürgen.groß',
      groups: ['ops', 'größe'],
    });
  });

  it('names nobody if a header is no UTF-8: two users could become one', () => {
    expect(named(Buffer.from([0x6a, 0xfc]))).toBeUndefined();
    expect(named(Buffer.from('ada'), Buffer.from([0xff]))).toBeUndefined();
  });
});
