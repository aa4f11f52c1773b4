import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Work that ends when the test says so; `started` is the order in which pieces were started. */
function setUp() {
  const turns = new Turns();
  const started: string[] = [];
  const ends: ((failure?: Error) => void)[] = [];
  const add = (name: string, signal?: AbortSignal) =>
    turns.take(
      name.slice(0, 1),
      () => {
        started.push(name);
        return new Promise<string>((resolve, reject) => {
          ends.push((failure) => (failure === undefined ? resolve(name) : reject(failure)));
        });
      },
      signal,
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (failure?: Error) => {
    ends.shift()?.(failure);
    await settle();
  };
  return { add, started, end, settle };
}

describe('Turns', () => {
  it('run one piece of work at a time', async () => {
    const { add, started, end } = setUp();
    const first = add('a1');
    void add('a2');
    expect(started).toEqual(['a1']);
    await end();
    expect(await first).toBe('a1');
    expect(started).toEqual(['a1', 'a2']);
  });

  it('let groups take turns: a group with a hundred pieces delays another by one', async () => {
    const { add, started, end } = setUp();
    for (let index = 0; index < 100; index += 1) void add(`a${index}`);
    void add('b0');
    void add('b1');
    void add('c0');
    for (let count = 0; count < 6; count += 1) await end();
    expect(started).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']);
  });

  it('go on after work that failed', async () => {
    const { add, started, end } = setUp();
    const failing = add('a1').catch(String);
    void add('b1');
    await end(new Error('no'));
    expect(await failing).toBe('Error: no');
    expect(started).toEqual(['a1', 'b1']);
  });

  it('never start work whose signal was aborted while it waited', async () => {
    const { add, started, end } = setUp();
    const abort = new AbortController();
    void add('a1');
    const dropped = add('a2', abort.signal).catch(String);
    void add('a3');
    abort.abort(new Error('replaced'));
    expect(await dropped).toBe('Error: replaced');
    await end();
    expect(started).toEqual(['a1', 'a3']);
  });
});
