import { startControlPlane } from '../../../tests/support/control-plane.ts';
import { askForQuantities, type ServerQuantities } from '../../../tests/support/server-quantities.ts';
import { kubernetesVersion } from '../../fetch/kube/programs.ts';
import type { Generator } from './generator.ts';

const suffixes = [
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
  'e+4',
];
const numbers = ['0', '1', '-1', '1.5', '0.5', '999', '1000', '1024', '1500', '123456', '0.001', '0.1234567891'];
const spellings = [
  '1.500',
  '+1',
  '001',
  '-0',
  '00',
  '.5',
  '5.',
  '1e3',
  '1E3',
  '1e+3',
  '1e-9',
  '1e21',
  '0.1n',
  '1.1e-9',
];
const edges = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '12345678901234567890123',
  '12.345678901234567890',
  '1023Ki',
  '1023.5Ki',
  '2047.9Ki',
  '1.0000000001Gi',
  '0.0000000001Ei',
  '7Ei',
  '8Ei',
  '-100Ei',
  '123456789012345678Ki',
  '1e99',
  '+',
  'm',
  '.Gi',
];
const refused = [
  '',
  'x',
  '1K',
  '1i',
  '1e',
  '1ki',
  '1Mm',
  '1.2.3',
  '1e1.5',
  '--1',
  'e-10',
  '0x10',
  '1_000',
  '1,5',
  'Ei',
];

/** How the API server that we test on writes quantities, as a table for the unit tests. */
export const quantityTable: Generator = {
  name: 'quantity-table',
  generate: async () => {
    const plane = await startControlPlane();
    try {
      const texts = [
        ...new Set([...numbers.flatMap((n) => suffixes.map((suffix) => n + suffix)), ...spellings, ...edges]),
      ];
      const canonical = written(texts, await askForQuantities(plane, texts));
      const errors: Record<string, string> = {};
      for (const text of refused) errors[text] = whyRefused(text, await askForQuantities(plane, [text]));
      const table = { kubernetes: kubernetesVersion, canonical, refused: errors };
      return [{ path: 'packages/api/src/quantity-table.json', content: `${JSON.stringify(table, undefined, 2)}\n` }];
    } finally {
      await plane.stop();
    }
  },
};

function written(texts: readonly string[], answer: ServerQuantities): Record<string, string> {
  if (!answer.accepted) throw new Error(`the API server refused a quantity: ${answer.reason}`);
  return Object.fromEntries(texts.map((text, i) => [text, answer.texts[i] ?? '']));
}

function whyRefused(text: string, answer: ServerQuantities): string {
  if (answer.accepted) throw new Error(`the API server took ${JSON.stringify(text)} for a quantity`);
  return answer.reason;
}
