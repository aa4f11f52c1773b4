import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { withSession } from './session-text.ts';

/** Runs `npm start -- --exit` on this machine and puts what it said into docs/local.md. */
const root = resolve(import.meta.dirname, '../../..');
const page = resolve(root, 'docs/local.md');
const { stdout } = await promisify(execFile)('npm', ['start', '--silent', '--', '--exit'], {
  cwd: root,
  env: { ...process.env, NO_COLOR: '1' },
  maxBuffer: 1 << 24,
});
writeFileSync(page, withSession(readFileSync(page, 'utf8'), 'npm start -- --exit', stdout));
