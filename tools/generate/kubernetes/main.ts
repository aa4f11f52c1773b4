import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { builtinSchemas } from './builtin-schemas.ts';
import { coreTypes } from './core-types.ts';
import type { Generator } from './generator.ts';
import { podTemplate } from './pod-template.ts';
import { protobufFields } from './protobuf-fields.ts';
import { quantityTable } from './quantity-table.ts';

/** Everything that `npm run generate` can make. */
const generators: readonly Generator[] = [builtinSchemas, coreTypes, podTemplate, protobufFields, quantityTable];

const repositoryRoot = join(import.meta.dirname, '../../..');

/** `npm run generate` makes everything; `npm run generate -- NAME…` makes only what is named. */
async function main(wanted: readonly string[]): Promise<number> {
  const unknown = wanted.filter((name) => !generators.some((generator) => generator.name === name));
  if (unknown.length > 0) {
    const known = generators.map((generator) => generator.name).join(', ');
    console.error(`No generator is called ${unknown.join(', ')}. There are: ${known}.`);
    return 1;
  }
  for (const generator of generators) {
    if (wanted.length > 0 && !wanted.includes(generator.name)) continue;
    for (const file of await generator.generate()) {
      await mkdir(dirname(join(repositoryRoot, file.path)), { recursive: true });
      await writeFile(join(repositoryRoot, file.path), file.content);
      console.log(`${generator.name}: ${file.path}`);
    }
  }
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
