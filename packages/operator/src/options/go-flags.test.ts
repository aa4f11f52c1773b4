import { describe, expect, it } from 'vitest';
import { describeFlags, parseGoFlags } from './go-flags.ts';

const FLAGS = [
  { name: 'metrics-addr', kind: 'string', help: 'where to listen', default: ':8080' },
  { name: 'enable-metrics', kind: 'bool', help: 'serve them', default: false },
  { name: 'burst', kind: 'int', help: 'burst' },
  { name: 'qps', kind: 'float', help: 'rate' },
] as const;

describe('parseGoFlags()', () => {
  it.each([
    ['two dashes and =', ['--metrics-addr=:9'], { 'metrics-addr': ':9' }],
    ['one dash', ['-metrics-addr=:9'], { 'metrics-addr': ':9' }],
    ['a value as the next argument', ['--metrics-addr', ':9', '--qps', '1.5'], { 'metrics-addr': ':9', qps: 1.5 }],
    ['a value that starts with a dash', ['--metrics-addr', '-x'], { 'metrics-addr': '-x' }],
    ['an empty value', ['--metrics-addr='], { 'metrics-addr': '' }],
    ['a value with = in it', ['--metrics-addr=a=b'], { 'metrics-addr': 'a=b' }],
    ['a bare boolean', ['--enable-metrics'], { 'enable-metrics': true }],
    ["Go's spellings of false", ['--enable-metrics=F'], { 'enable-metrics': false }],
    ['numbers', ['--burst=-3', '--qps=1e3'], { burst: -3, qps: 1000 }],
    ['the last of two', ['--burst=1', '--burst=2'], { burst: 2 }],
    ['nothing', [], {}],
  ])('reads %s', (_, args, values) => {
    expect(parseGoFlags(FLAGS, args)).toEqual({ kind: 'values', values });
  });

  it.each([
    ['--metric-addr=x', 'unknown flag --metric-addr; did you mean --metrics-addr? (--help lists all)'],
    ['--zzzzzzzzzz', 'unknown flag --zzzzzzzzzz (--help lists all)'],
    ['--burst=1.5', '--burst: "1.5" is not a whole number'],
    ['--qps=fast', '--qps: "fast" is not a number'],
    ['--enable-metrics=yes', '--enable-metrics: "yes" is not true or false'],
    ['--burst', '--burst needs a value: --burst=<int>'],
    ['stray', 'unexpected argument "stray": every option starts with -- (see --help)'],
    ['--', 'unexpected argument "--": every option starts with -- (see --help)'],
  ])('answers %s with a sentence', (arg, message) => {
    expect(parseGoFlags(FLAGS, [arg])).toEqual({ kind: 'error', message });
  });

  it('knows when help is wanted', () => {
    for (const arg of ['--help', '-h', '-help']) expect(parseGoFlags(FLAGS, [arg])).toEqual({ kind: 'help' });
  });
});

it('describeFlags() lines up and names defaults', () => {
  expect(describeFlags(FLAGS)).toBe(
    [
      '  --metrics-addr <string>  where to listen (default :8080)',
      '  --enable-metrics         serve them (default false)',
      '  --burst <int>            burst',
      '  --qps <float>            rate',
    ].join('\n'),
  );
});
