import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@manta/kube';
import { expect, it } from 'vitest';
import { openLog } from './logging.ts';

const options = {
  encoder: 'json',
  fileEncoder: 'json',
  file: '',
  isDevelopment: false,
  level: undefined,
  stacktraceLevel: undefined,
} as const;

it('names the flag, the log file once, and what is wrong with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'manta-log-'));
  expect(openLog({ ...options, file: folder }, systemClock)).toEqual({
    ok: false,
    error: `--log-file-path: the log file ${folder} cannot be opened: EISDIR: illegal operation on a directory`,
  });
  rmSync(folder, { recursive: true });
});

it.each([
  [{ level: 'loud' }, '--zap-log-level: "loud" is not debug, info, error, panic or a positive number'],
  [{ stacktraceLevel: 'all' }, '--zap-stacktrace-level: "all" is not info, warn, error or panic'],
])('refuses %o with a sentence', (wrong, error) => {
  expect(openLog({ ...options, ...wrong }, systemClock)).toEqual({ ok: false, error });
});
