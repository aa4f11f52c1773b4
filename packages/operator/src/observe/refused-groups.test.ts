import { beforeEach, describe, expect, it } from 'vitest';
import { RefusedGroups } from './refused-groups.ts';

let refused: RefusedGroups;
beforeEach(() => {
  refused = new RefusedGroups();
});
const at = (now: number, generation = 1) => ({ now, generation });
const waits = (generation = 1) => Object.fromEntries(refused.of('ns/a', generation));

describe('groups that were refused', () => {
  it('are tried again less and less often, at least once a minute', () => {
    for (const now of [0, 1_000]) refused.tried('ns/a', ['small'], ['small'], at(now));
    expect(waits()).toEqual({ small: 1_500 });
    for (let i = 0; i < 20; i += 1) refused.tried('ns/a', ['small'], ['small'], at(10_000));
    expect(waits()).toEqual({ small: 70_000 });
  });

  it('start over once they went well', () => {
    for (const now of [0, 0, 0]) refused.tried('ns/a', ['small', 'big'], ['small', 'big'], at(now));
    refused.tried('ns/a', ['small'], [], at(0));
    expect(waits()).toEqual({ big: 1_000 });
  });

  it('are tried at once when the spec has changed', () => {
    refused.tried('ns/a', ['small'], ['small'], at(0));
    expect(waits(2)).toEqual({});
  });

  it('are forgotten with their cluster', () => {
    refused.tried('ns/a', ['small'], ['small'], at(0));
    refused.forget('ns/a');
    expect(waits()).toEqual({});
  });
});
