import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { limitsPage } from './limits-table.ts';

/** Writes docs/limits.md from packages/base/src/limits.ts. */
const root = resolve(import.meta.dirname, '../../..');
writeFileSync(
  resolve(root, 'docs/limits.md'),
  limitsPage(readFileSync(resolve(root, 'packages/base/src/limits.ts'), 'utf8')),
);
