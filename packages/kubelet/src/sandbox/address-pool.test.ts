import { expect, it } from 'vitest';
import { AddressPool } from './address-pool.ts';

it('addresses are used once until all were, and then the ones that came back', () => {
  const pool = new AddressPool('10.1.2');
  const first = pool.take();
  pool.give(first);
  const rest = Array.from({ length: 252 }, () => pool.take());
  expect(new Set([...rest, first]).size).toBe(253);
  expect(rest).not.toContain('10.1.2.1');
  expect(pool.take()).toBe(first);
  expect(() => pool.take()).toThrow('all 253 pod addresses of 10.1.2.0/24 are in use');
});
