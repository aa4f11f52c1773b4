import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatQuantity, parseQuantity } from '../../packages/api/src/quantity.ts';
import table from '../../packages/api/src/quantity-table.json' with { type: 'json' };
import { askForQuantities } from '../support/server-quantities.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const seed = 20_260;
const digits = fc.stringMatching(/^[0-9]{0,20}$/);
const text = fc
  .tuple(
    fc.constantFrom('', '', '', '-', '+'),
    digits,
    fc.option(digits),
    fc.constantFrom(...' n u m k M G T P Ki Mi Gi Ti Pi Ei e0 e5 E-7 e+12 e-15'.split(' ')),
  )
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);
const nonsense = fc.stringMatching(/^[-+0-9.eEinumkKMGTPi_x]{1,8}$/).filter((some) => !parseQuantity(some).ok);

describe('quantities, asked of a real API server', () => {
  it('are written as the server writes them', async () => {
    const texts = fc.sample(text, { seed, numRuns: 400 }).filter((some) => parseQuantity(some).ok);
    expect(texts.length).toBeGreaterThan(200);
    const answer = await askForQuantities(sharedControlPlane(), texts);
    const ours = texts.map((some) => {
      const amount = parseQuantity(some);
      return amount.ok ? formatQuantity(amount.value) : amount.error;
    });
    expect({ accepted: true, texts: ours }).toEqual(answer);
  });

  it('are in the table of the unit tests as this server writes them', async () => {
    const answer = await askForQuantities(sharedControlPlane(), Object.keys(table.canonical));
    expect(answer).toEqual({ accepted: true, texts: Object.values(table.canonical) });
  });

  it('are refused with the words of the server', async () => {
    for (const some of fc.sample(nonsense, { seed, numRuns: 15 })) {
      const amount = parseQuantity(some);
      const answer = await askForQuantities(sharedControlPlane(), [some]);
      expect({ text: some, accepted: false, reason: amount.ok ? '' : amount.error }).toEqual({ text: some, ...answer });
    }
  });
});
