import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../../packages/console-web/src');
/** The one file that sends requests, with the key of the session. */
const SENDER = 'live/api.ts';

describe("the console's page", () => {
  it('sends every request with the key of the session: ask() and send() for fetch, withKey() for streams', () => {
    const found = globSync('**/*.{ts,tsx}', { cwd: PAGE }).flatMap((file) =>
      readFileSync(join(PAGE, file), 'utf8')
        .split('\n')
        .filter((line) =>
          /(?<![\w.])fetch\(|new XMLHttpRequest|sendBeacon\(|new (EventSource|WebSocket)\((?!withKey\()/.test(line),
        )
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([expect.stringMatching(`^${SENDER}: return await fetch\\(`)]);
  });
});
