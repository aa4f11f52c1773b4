import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatGoFloat } from './go-float.ts';
import type { MetricsRegistry } from './instruments.ts';
import { createMetricsRegistry } from './registry.ts';

/** A strict reader of text format 0.0.4: every line must be HELP, TYPE or a sample of the family opened last. */
function parse(text: string) {
  const families = new Map<string, { help: string; type: string; samples: Map<string, number> }>();
  if (text === '') return families;
  if (!text.endsWith('\n')) throw new Error('the text must end with a newline');
  let current: [string, { help: string; type: string; samples: Map<string, number> }] | undefined;
  let help: readonly [string, string] | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const head = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/s.exec(line);
    if (head?.[1] === 'HELP') {
      if (families.has(head[2]!)) throw new Error(`second HELP for ${head[2]}`);
      help = [head[2]!, unescape(head[3]!)];
      continue;
    }
    if (head?.[1] === 'TYPE') {
      if (help === undefined || help[0] !== head[2]) throw new Error('TYPE must follow its HELP');
      current = [head[2], { help: help[1], type: head[3]!, samples: new Map() }];
      families.set(...current);
      continue;
    }
    const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
    if (sample === null || current === undefined) throw new Error(`not a line of the format: ${line}`);
    const suffixes = current[1].type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    const suffix = suffixes.find((each) => current![0] + each === sample[1]);
    if (suffix === undefined) throw new Error(`${sample[1]} stands under ${current[0]}`);
    const key = `${suffix}${JSON.stringify(parseLabels(sample[2] ?? ''))}`;
    if (current[1].samples.has(key)) throw new Error(`twice the same series: ${line}`);
    current[1].samples.set(key, parseNumber(sample[3]!));
  }
  return families;
}

function parseLabels(text: string): [string, string][] {
  const labels: [string, string][] = [];
  let at = 0;
  while (at < text.length) {
    const found = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"(,(?=.)|$)/.exec(text.slice(at));
    if (found === null) throw new Error(`bad labels at ${at}: ${text}`);
    labels.push([found[1]!, unescape(found[2]!)]);
    at += found[0].length;
  }
  return labels;
}

const unescape = (text: string) => text.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char));
const parseNumber = (text: string) => {
  const words: Record<string, number> = { '+Inf': Infinity, '-Inf': -Infinity, NaN };
  const value = words[text] ?? Number(text);
  if (Number.isNaN(value) && text !== 'NaN') throw new Error(`not a number: ${text}`);
  return value;
};

describe('the registry', () => {
  test('writes HELP, TYPE and sorted series, families by name', () => {
    const registry = createMetricsRegistry();
    const jobs = registry.gauge('b_jobs', 'Jobs.');
    jobs.set({ name: 'z', namespace: 'n' }, 2);
    jobs.set({ namespace: 'n', name: 'a' }, 1);
    registry.counter('a_total', 'A.').add({});
    registry.histogram('c_seconds', 'C.', [0.5, 1]).observe({ verb: 'GET' }, 0.7);
    expect(registry.text()).toBe(
      [
        '# HELP a_total A.',
        '# TYPE a_total counter',
        'a_total 1',
        '# HELP b_jobs Jobs.',
        '# TYPE b_jobs gauge',
        'b_jobs{name="a",namespace="n"} 1',
        'b_jobs{name="z",namespace="n"} 2',
        '# HELP c_seconds C.',
        '# TYPE c_seconds histogram',
        'c_seconds_bucket{verb="GET",le="0.5"} 0',
        'c_seconds_bucket{verb="GET",le="1"} 1',
        'c_seconds_bucket{verb="GET",le="+Inf"} 1',
        'c_seconds_sum{verb="GET"} 0.7',
        'c_seconds_count{verb="GET"} 1',
        '',
      ].join('\n'),
    );
  });

  test('whatever labels and values are given, a strict parser reads the same back', () => {
    const label = fc.constantFrom('a', 'b_1', 'name', 'namespace');
    const value = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.toWellFormed());
    const labels = fc.dictionary(label, value, { maxKeys: 4 });
    const amount = fc.oneof(fc.double(), fc.integer({ min: 0, max: 10 ** 9 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(labels, amount), { maxLength: 30 }), fc.string(), (writes, help) => {
        const registry = createMetricsRegistry();
        const gauge = registry.gauge('g', help);
        const expected = new Map<string, number>();
        for (const [each, number] of writes) {
          gauge.set(each, number);
          expected.set(JSON.stringify(withoutEmpty(each)), number);
        }
        const read = parse(registry.text()).get('g');
        const samples = [...(read?.samples ?? [])].map(
          ([key, number]) => [JSON.stringify(withoutEmpty(Object.fromEntries(JSON.parse(key)))), number] as const,
        );
        expect(new Map(samples)).toEqual(expected);
        expect(read?.help).toBe(writes.length === 0 ? undefined : help.toWellFormed());
      }),
    );
  });

  test('a histogram counts each value in every bucket at or above it', () => {
    const bounds = fc.uniqueArray(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { maxLength: 8 });
    fc.assert(
      fc.property(bounds, fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 })), (unsorted, values) => {
        const buckets = unsorted.map((bound) => bound + 0).toSorted((a, b) => a - b);
        fc.pre(new Set(buckets).size === buckets.length);
        const registry = createMetricsRegistry();
        const histogram = registry.histogram('h', 'H.', buckets);
        for (const value of values) histogram.observe({}, value);
        const samples = parse(registry.text()).get('h')?.samples;
        if (values.length === 0) return;
        for (const bound of [...buckets, Infinity]) {
          const key = `_bucket${JSON.stringify([['le', formatGoFloat(bound)]])}`;
          expect(samples?.get(key)).toBe(values.filter((value) => value <= bound).length);
        }
        expect(samples?.get('_count[]')).toBe(values.length);
      }),
    );
  });

  test('removing by some labels removes every series that has them, and only those', () => {
    const registry = createMetricsRegistry();
    const gauge = registry.gauge('g', 'G.');
    gauge.set({ name: 'a', namespace: 'n', uid: '1' }, 1);
    gauge.set({ name: 'a', namespace: 'n', uid: '2' }, 1);
    gauge.set({ name: 'a', namespace: 'm', uid: '3' }, 1);
    gauge.remove({ name: 'a', namespace: 'n' });
    expect([...(parse(registry.text()).get('g')?.samples.keys() ?? [])]).toHaveLength(1);
    gauge.remove({});
    expect(registry.text()).toBe('');
    gauge.add({ name: 'a', namespace: 'n', uid: '1' }, 5);
    expect(registry.text()).toContain('g{name="a",namespace="n",uid="1"} 5');
  });

  test('collectors run at each scrape, before the text is made', () => {
    const registry = createMetricsRegistry();
    let scrapes = 0;
    registry.onScrape(() => registry.gauge('scrapes', 'S.').set({}, ++scrapes));
    registry.text();
    expect(registry.text()).toContain('scrapes 2\n');
  });

  test('one name gives one instrument', () => {
    const registry = createMetricsRegistry();
    registry.counter('c', 'C.').add({});
    registry.counter('c', 'C.').add({});
    expect(registry.text()).toContain('c 2\n');
  });

  const misuse: Record<string, { run: (registry: MetricsRegistry) => unknown; says: string }> = {
    'one name as two types': {
      run: (registry) => [registry.counter('x', ''), registry.gauge('x', '')],
      says: 'the metric x is a counter already, not a gauge',
    },
    'one histogram with two sets of buckets': {
      run: (registry) => [registry.histogram('x', '', [1]), registry.histogram('x', '', [2])],
      says: 'the metric x is a histogram of [1] already, not a histogram of [2]',
    },
    'a metric name with a dash': { run: (registry) => registry.counter('a-b', ''), says: '"a-b" is not a' },
    'a label name with a dot': {
      run: (registry) => registry.gauge('x', '').set({ 'a.b': '' }, 1),
      says: '"a.b" is not a Prometheus label name',
    },
    'the label le on a histogram': {
      run: (registry) => registry.histogram('x', '', [1]).observe({ le: '1' }, 1),
      says: 'reserved',
    },
    'buckets out of order': { run: (registry) => registry.histogram('x', '', [2, 1]), says: 'ascending' },
    'a counter that goes down': { run: (registry) => registry.counter('x', '').add({}, -1), says: 'cannot go down' },
    'a counter that adds NaN': {
      run: (registry) => registry.counter('x', '').add({}, Number.NaN),
      says: 'cannot go down',
    },
  };
  for (const [what, { run, says }] of Object.entries(misuse)) {
    test(`refuses ${what}`, () => expect(() => run(createMetricsRegistry())).toThrow(says));
  }
});

describe('formatGoFloat', () => {
  const table: [number, string][] = [
    [0.005, '0.005'],
    [1e-8, '1e-08'],
    [0.0001, '0.0001'],
    [0.00001234, '1.234e-05'],
    [262144, '262144'],
    [1048576, '1.048576e+06'],
    [1e21, '1e+21'],
    [1e-300, '1e-300'],
    [-2.5e7, '-2.5e+07'],
    [Infinity, '+Inf'],
    [0, '0'],
  ];
  for (const [value, text] of table) test(`writes ${value} as ${text}`, () => expect(formatGoFloat(value)).toBe(text));

  test('loses nothing', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(parseNumber(formatGoFloat(value))).toBe(value);
      }),
    );
  });
});

function withoutEmpty(labels: Record<string, string>): [string, string][] {
  return Object.entries(labels)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}
