import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { referencePages } from './pages.ts';

/** Writes docs/reference/<kind>.md from the schemas of the custom resources. */
const folder = resolve(import.meta.dirname, '../../../docs/reference');
mkdirSync(folder, { recursive: true });
for (const [file, text] of referencePages()) writeFileSync(resolve(folder, file), text);
