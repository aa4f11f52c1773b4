import type { Clock } from '@manta/kube';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogSink } from './background-writer.ts';
import type { LoggerOptions } from './create-logger.ts';
import { createLogger } from './create-logger.ts';
import { encodeConsole, encodeJson } from './encode.ts';
import { LogLevel, parseLogLevel, parseStacktraceLevel } from './level.ts';

const START = Date.parse('2026-08-01T12:00:00.000Z');

class MemorySink implements LogSink {
  lines: string[] = [];
  dropped = 0;
  write = (line: string) => void this.lines.push(line);
  flush = () => Promise.resolve();
  flushSync = () => undefined;
  takeDropped() {
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }
  get entries(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line));
  }
}

function setup(options: Partial<LoggerOptions> = {}) {
  const time = { now: START };
  const clock: Clock = { now: () => time.now, setTimer: () => () => undefined };
  const sink = new MemorySink();
  return { time, sink, log: createLogger({ clock, main: { sink, encode: encodeJson }, ...options }) };
}

describe('a JSON line', () => {
  test('has the keys of zap in the order of zap', () => {
    const { log, sink } = setup();
    log
      .named('controllers')
      .named('RayCluster')
      .info('Reconciling', { RayCluster: { name: 'a', namespace: 'b' } });
    expect(sink.lines).toEqual([
      '{"level":"info","ts":"2026-08-01T12:00:00.000Z","logger":"controllers.RayCluster","msg":"Reconciling","RayCluster":{"name":"a","namespace":"b"}}\n',
    ]);
  });

  test('of an error ends with error and stacktrace', () => {
    const { log, sink } = setup();
    log
      .with({ reconcileID: '1' })
      .error('Failed', new Error('boom', { cause: new Error('disk full') }), { attempt: 2 });
    const [entry] = sink.entries;
    expect(Object.keys(entry ?? {})).toEqual(['level', 'ts', 'msg', 'reconcileID', 'attempt', 'error', 'stacktrace']);
    expect(entry).toMatchObject({ level: 'error', error: 'boom: disk full', attempt: 2 });
    expect(entry?.['stacktrace']).toContain('create-logger.test.ts');
  });

  test('never carries a key twice, whatever the fields are called', () => {
    const { log, sink } = setup();
    log.info('a', { msg: 'x', ts: 1, error: 'kept' });
    log.error('b', 'no Error at all', { error: 'mine' });
    expect(sink.entries[0]).toMatchObject({ msg: 'a', msg_: 'x', ts_: 1, error: 'kept' });
    expect(sink.entries[1]).toMatchObject({ msg: 'b', error: 'no Error at all', error_: 'mine' });
  });

  const circular: Record<string, unknown> = { name: 'loop', list: [1n] };
  circular['self'] = circular;
  const hostile = Object.defineProperty({ fine: 1 }, 'bad', {
    enumerable: true,
    get: () => {
      throw new Error('no');
    },
  });
  const values: Record<string, [unknown, unknown]> = {
    undefined: [undefined, null],
    'a BigInt': [12n, '12'],
    'a BigInt within': [{ n: 12n }, { n: '12' }],
    'an Error': [new TypeError('bad'), 'bad'],
    'an Error within': [{ e: new Error('bad') }, { e: 'bad' }],
    'a cycle': [circular, { name: 'loop', list: ['1'], self: '[circular]' }],
    'a getter that throws': [hostile, { fine: 1, bad: '[unreadable: no]' }],
    'a toJSON that throws': [{ toJSON: () => circular }, { toJSON: '[function]' }],
    NaN: [Number.NaN, 'NaN'],
    'a Map': [new Map([['a', 1]]), [['a', 1]]],
    'a function': [() => 1, '[function]'],
    'a symbol': [Symbol('s'), 'Symbol(s)'],
    'half a surrogate pair': ['\ud800', '\ufffd'],
    'a Date': [new Date(START), '2026-08-01T12:00:00.000Z'],
  };
  for (const [what, [value, written]] of Object.entries(values)) {
    test(`writes ${what} as something readable`, () => {
      const { log, sink } = setup();
      log.info('m', { value });
      expect(sink.entries[0]).toHaveProperty('value', written);
    });
  }

  test('is one line of valid JSON for any fields', () => {
    const value = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), fc.string(), value, (fields, message, error) => {
        const { log, sink } = setup();
        log.with(fields).error(message, error, fields);
        expect(sink.lines[0]?.indexOf('\n')).toBe((sink.lines[0]?.length ?? 0) - 1);
        expect(sink.entries[0]).toHaveProperty('msg', message.toWellFormed());
      }),
    );
  });
});

describe('a console line', () => {
  test('has the same parts, tab separated, and the stack below', () => {
    const sink = new MemorySink();
    const { log } = setup({ main: { sink, encode: encodeConsole } });
    log.named('setup').info('Starting', { port: 80 });
    log.error('Failed', new Error('boom'));
    expect(sink.lines[0]).toBe('2026-08-01T12:00:00.000Z\tinfo\tsetup\tStarting\t{"port":80}\n');
    expect(sink.lines[1]).toMatch(/^2026-08-01T12:00:00.000Z\terror\tFailed\t\{"error":"boom"\}\nError: boom\n/);
  });
});

const say = (options: Partial<LoggerOptions>) => {
  const { log, sink } = setup(options);
  log.debug('d');
  log.info('i');
  log.warn('w');
  log.error('e', new Error('x'));
  return sink.entries.map((entry) => `${String(entry['msg'])}${'stacktrace' in entry ? '+' : ''}`).join(' ');
};

describe('levels', () => {
  const table: Record<string, [Partial<LoggerOptions>, string]> = {
    'by default info and above, stacks with errors': [{}, 'i w e+'],
    'with --zap-devel debug and above, stacks from warnings on': [{ development: true }, 'd i w+ e+'],
    'an explicit level beats --zap-devel': [{ development: true, level: LogLevel.error }, 'e+'],
    'panic shuts up everything we have': [{ level: LogLevel.panic }, ''],
    'a verbosity shows debug': [{ level: -3 }, 'd i w e+'],
    'stacks can be asked for from info on': [{ stacktraceLevel: LogLevel.info }, 'i+ w+ e+'],
    'stacks can be switched off for errors': [{ stacktraceLevel: LogLevel.panic }, 'i w e'],
  };
  for (const [promise, [options, said]] of Object.entries(table))
    test(`by flags: ${promise}`, () => expect(say(options)).toBe(said));

  test('the second output takes info and above whatever the level is', () => {
    const sink = new MemorySink();
    const quiet = setup({ level: LogLevel.error, file: { sink, encode: encodeJson } });
    quiet.log.info('i');
    quiet.log.debug('d');
    expect(quiet.sink.lines).toHaveLength(0);
    expect(sink.lines).toHaveLength(1);
    const chatty = setup({ level: LogLevel.debug, file: { sink, encode: encodeJson } });
    chatty.log.debug('d');
    expect(chatty.sink.lines).toHaveLength(1);
    expect(sink.lines).toHaveLength(1);
  });

  const flags: [string, number | undefined, number | undefined][] = [
    ['debug', -1, -1],
    ['INFO', 0, 0],
    ['error', 2, 2],
    ['panic', 4, 4],
    ['3', -3, undefined],
    ['0', undefined, undefined],
    ['-1', undefined, undefined],
    ['warn', undefined, 1],
    ['', undefined, undefined],
  ];
  for (const [text, level, stack] of flags) {
    test(`the flag value "${text}" is ${level ?? 'refused'}`, () => {
      expect(parseLogLevel(text)).toBe(level);
      expect(parseStacktraceLevel(text)).toBe(stack);
    });
  }
});

describe('sampling', () => {
  test('lets the first hundred equal entries of a second through, then every hundredth', () => {
    const { log, sink, time } = setup();
    for (let n = 0; n < 350; n++) log.info('again', { n });
    expect(sink.entries.map((entry) => entry['n']).slice(99)).toEqual([99, 199, 299]);
    log.info('another');
    log.warn('again');
    expect(sink.lines).toHaveLength(104);
    time.now += 1000;
    log.info('again');
    expect(sink.lines).toHaveLength(105);
  });

  test('is off at verbosity 2 and with --zap-devel', () => {
    for (const options of [{ level: -2 }, { development: true }]) {
      const { log, sink } = setup(options);
      for (let n = 0; n < 350; n++) log.info('again');
      expect(sink.lines).toHaveLength(350);
    }
  });

  test('recovers when the clock is set back', () => {
    const { log, sink, time } = setup();
    for (let n = 0; n < 200; n++) log.info('again');
    time.now -= 3_600_000;
    log.info('again');
    expect(sink.lines).toHaveLength(102);
  });
});

test('the stack of a warning starts where it was logged', () => {
  const { log, sink } = setup({ development: true });
  log.warn('w');
  log.error('e', 'text');
  for (const entry of sink.entries) expect(String(entry['stacktrace'])).toMatch(/^at .*create-logger\.test\.ts/);
});

test('a child says its parents fields first', () => {
  const { log, sink } = setup();
  log.with({ a: 1 }).named('x').with({ b: 2 }).info('m', { c: 3 });
  expect(sink.lines[0]).toContain('"logger":"x","msg":"m","a":1,"b":2,"c":3}');
});

test('lost lines are owned up to before the next one', () => {
  const { log, sink } = setup();
  sink.dropped = 7;
  log.info('m');
  expect(sink.entries).toMatchObject([{ level: 'warn', logger: 'log', lines: 7 }, { msg: 'm' }]);
});
