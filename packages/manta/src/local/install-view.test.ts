import { describe, expect, it, test } from 'vitest';
import { canDraw, createInstallView } from './install-view.ts';

/** A view at a time that is set by hand, and all that it wrote. */
function viewOn(kind: 'terminal' | 'log', columns = 100) {
  const written: string[] = [];
  let now = 0;
  const view = createInstallView({
    line: (text) => written.push(`${text}\n`),
    draw: kind === 'terminal' ? (text) => written.push(text) : undefined,
    columns: () => columns,
    nowMs: () => now,
  });
  return { view, written, at: (ms: number) => (now = ms) };
}

describe('an installation in a terminal', () => {
  it('is one line that is drawn again', () => {
    const { view, written, at } = viewOn('terminal');
    at(34_000);
    view.progress({ step: 'download', bytes: 60_000_000, packages: 31 });
    view.progress({ step: 'unpack', done: 24, of: 48 });
    expect(written).toEqual([
      '\r[#######-----------------]  30 %  60 of about 120 MB fetched, 31 packages, 34 s\u001b[K',
      '\r[###################-----]  80 %  24 of 48 packages unpacked, 34 s\u001b[K',
    ]);
  });

  it('is no wider than the terminal', () => {
    const { view, written } = viewOn('terminal', 40);
    view.progress({ step: 'unpack', done: 24, of: 48 });
    expect(written).toEqual(['\r[###################-----]  80 %  24 of\u001b[K']);
  });

  it('is gone when something is said, and at the end', () => {
    const { view, written } = viewOn('terminal');
    view.progress({ step: 'unpack', done: 48, of: 48 });
    view.say('done');
    view.close();
    expect(written.slice(1)).toEqual(['\r\u001b[K', 'done\n']);
  });

  it('ends at a hundred, whatever is fetched', () => {
    const { view, written } = viewOn('terminal');
    view.progress({ step: 'download', bytes: 10e9, packages: 99 });
    view.progress({ step: 'unpack', done: 100, of: 99 });
    expect(written.map((text) => /(\d+) %/.exec(text)?.[1])).toEqual(['60', '100']);
  });
});

describe('an installation in a log', () => {
  it('is a plain line now and then', () => {
    const { view, written, at } = viewOn('log');
    for (let ms = 0; ms <= 25_000; ms += 250) {
      at(ms);
      view.progress({ step: 'download', bytes: ms * 1000, packages: 5 });
    }
    view.close();
    expect(written).toEqual([
      'installing Ray:   5 %  10 of about 120 MB fetched, 5 packages, 10 s\n',
      'installing Ray:  10 %  20 of about 120 MB fetched, 5 packages, 20 s\n',
    ]);
  });
});

test.each([
  ['a terminal', true, {}, true],
  ['a pipe', false, {}, false],
  ['a terminal without colours', true, { NO_COLOR: '1' }, false],
  ['a terminal of a build', true, { CI: 'true' }, false],
  ['a terminal that knows no control codes', true, { TERM: 'dumb' }, false],
])('in %s a line can be drawn again: %s %j %s', (_, isTerminal, env, expected) => {
  expect(canDraw(isTerminal, env)).toBe(expected);
});
