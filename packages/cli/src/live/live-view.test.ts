import { Writable } from 'node:stream';
import { FakeClock } from '@manta/runtime/testing';
import { describe, expect, it } from 'vitest';
import { paintFor } from './colors.ts';
import { ENTER, LEAVE } from './frame-diff.ts';
import { openLiveView } from './live-view.ts';
import { openProgressLine } from './progress-line.ts';

/** A stream that keeps what is written, with a terminal's size if it is one. */
class Screen extends Writable {
  columns = 20;
  rows = 4;
  readonly isTTY: boolean;
  #text = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#text += chunk.toString('utf8');
    done();
  }

  /** What was written since the last call. */
  taken(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

describe('openLiveView()', () => {
  it('writes only lines that changed, and clears lines that no longer exist', () => {
    const stdout = new Screen(true);
    const view = openLiveView({ stdout });
    expect(stdout.taken()).toBe(ENTER);
    view.show(['a', 'b', 'c']);
    expect(stdout.taken()).toContain('\u001B[2;1Hb\u001B[K');
    view.show(['a', 'B', 'c']);
    expect(stdout.taken()).toBe('\u001B[2;1HB\u001B[K');
    view.show(['a', 'B', 'c']);
    expect(stdout.taken()).toBe('');
    view.show(['a']);
    expect(stdout.taken()).toBe('\u001B[2;1H\u001B[J');
    view.close();
  });

  it('draws everything again after a resize, cut to the new width', () => {
    const stdout = new Screen(true);
    const view = openLiveView({ stdout });
    view.show(['a long line of text']);
    stdout.taken();
    stdout.columns = 10;
    stdout.emit('resize');
    expect(stdout.taken()).toBe('\u001B[2J\u001B[1;1Ha long li…\u001B[K');
    view.close();
  });

  it('counts the lines that do not fit the height', () => {
    const stdout = new Screen(true);
    const view = openLiveView({ stdout });
    view.show(['1', '2', '3', '4', '5', '6']);
    expect(stdout.taken()).toContain('\u001B[4;1H… 3 more lines');
    view.close();
  });

  it('leaves the alternate screen once and prints the last view', () => {
    const stdout = new Screen(true);
    const view = openLiveView({ stdout });
    view.show(['a line that is longer than the screen']);
    stdout.taken();
    view.close();
    view.close();
    expect(stdout.taken()).toBe(`${LEAVE}a line that is longer than the screen\n`);
    expect(stdout.listenerCount('resize')).toBe(0);
  });

  it('prints changed views as plain lines without a terminal', () => {
    const stdout = new Screen(false);
    const view = openLiveView({ stdout });
    view.show(['a']);
    view.show(['a']);
    view.show(['b', 'c']);
    view.close();
    expect(stdout.taken()).toBe('a\n\nb\nc\n');
  });
});

describe('openProgressLine()', () => {
  it('moves on a terminal and is cleared before other output', async () => {
    const clock = new FakeClock();
    const stderr = new Screen(true);
    const line = openProgressLine({ stderr, clock });
    line.update('waiting');
    expect(stderr.taken()).toBe('\r\u001B[K⠋ waiting');
    await clock.advance(120);
    expect(stderr.taken()).toBe('\r\u001B[K⠙ waiting');
    line.clear();
    line.clear();
    expect(stderr.taken()).toBe('\r\u001B[K');
    expect(clock.pending).toBe(0);
  });

  it('prints each text once without a terminal', () => {
    const stderr = new Screen(false);
    const line = openProgressLine({ stderr, clock: new FakeClock() });
    for (const text of ['waiting', 'waiting', 'ready']) line.update(text);
    line.clear();
    expect(stderr.taken()).toBe('waiting\nready\n');
  });
});

describe('paintFor()', () => {
  const colored = '\u001B[31mx\u001B[39m';
  it.each([
    ['on a terminal', {}, true, true, colored],
    ['without a terminal', {}, false, true, 'x'],
    ['with --no-color', {}, true, false, 'x'],
    ['with NO_COLOR', { NO_COLOR: '1' }, true, true, 'x'],
    ['with TERM=dumb', { TERM: 'dumb' }, true, true, 'x'],
    ['with FORCE_COLOR without a terminal', { FORCE_COLOR: '1' }, false, true, colored],
  ])('decides on colours %s', (_, env, isTTY, color, expected) => {
    expect(paintFor({ env }, { isTTY }, { color })('red', 'x')).toBe(expected);
  });
});
