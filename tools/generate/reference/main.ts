import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { referencePages } from './pages.ts';

/** `npm run reference`: writes the pages of docs/reference from the code. */
const folder = resolve(import.meta.dirname, '../../../docs/reference');
mkdirSync(folder, { recursive: true });
for (const [file, text] of referencePages()) writeFileSync(resolve(folder, file), text);
