import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CapacityStep, nextCapacityStep, nextTrafficWeights, type UpgradeProgress } from './steps.ts';

const progress = (text: string): UpgradeProgress => {
  const [a = '', p = ''] = text.split(' ');
  const [activeCapacity = 0, activeTraffic = 0] = a.split('/').map(Number);
  const [pendingCapacity = 0, pendingTraffic = 0] = p.split('/').map(Number);
  return { activeCapacity, activeTraffic, pendingCapacity, pendingTraffic };
};

describe('the next step of capacity', () => {
  it.each<[string, string, number, boolean, CapacityStep | undefined]>([
    ['the new cluster grows while there is room', '70/90 10/10', 20, false, { role: 'pending', capacity: 30 }],
    ['the old one shrinks when both are more than enough', '80/70 30/30', 20, false, { role: 'active', capacity: 60 }],
    ['nothing before the traffic has followed', '100/100 50/25', 50, false, undefined],
    ['nothing when all has gone over', '0/0 100/100', 50, false, undefined],
    ['after an emergency the old one shrinks', '100/0 50/100', 50, false, { role: 'active', capacity: 50 }],
    ['after an emergency the new one grows', '50/0 50/100', 50, false, { role: 'pending', capacity: 100 }],
    ['no further than all', '10/10 90/90', 20, false, { role: 'pending', capacity: 100 }],
    ['no further than nothing', '10/0 100/100', 20, false, { role: 'active', capacity: 0 }],
    ['backwards the old one grows', '50/50 50/50', 50, true, { role: 'active', capacity: 100 }],
    ['backwards the new one shrinks', '100/100 50/0', 50, true, { role: 'pending', capacity: 0 }],
    ['backwards nothing before the traffic has followed', '100/75 50/25', 50, true, undefined],
    ['nothing when all has come back', '100/100 0/0', 50, true, undefined],
  ])('%s', (_, text, surge, isRollingBack, expected) => {
    expect(nextCapacityStep(progress(text), surge, isRollingBack)).toEqual(expected);
  });
});

describe('the next step of traffic', () => {
  it.each<[string, string, number, boolean, string]>([
    ['goes to the new cluster', '100/100 60/0', 10, false, '90/10'],
    ['is cut to the capacity', '100/100 5/0', 10, false, '95/5'],
    ['stands still when the capacity is used', '100/50 50/50', 10, false, '50/50'],
    ['goes back', '100/50 50/50', 30, true, '80/20'],
    ['goes back as far as the capacity', '60/50 50/50', 30, true, '60/40'],
  ])('%s', (_, text, step, isRollingBack, expected) => {
    const { active, pending } = nextTrafficWeights(progress(text), step, isRollingBack);
    expect(`${active}/${pending}`).toBe(expected);
  });
});

describe('capacity and traffic together', () => {
  const options = fc
    .integer({ min: 1, max: 100 })
    .chain((surge) => fc.record({ surge: fc.constant(surge), step: fc.integer({ min: 1, max: surge }) }));

  it('get everything over in a bounded number of steps, and back again, never with too much or too little', () => {
    fc.assert(
      fc.property(options, fc.nat(300), ({ surge, step }, turn) => {
        let now = progress('100/100 0/0');
        let isRollingBack = false;
        for (let i = 0; i < 1000; i += 1) {
          if (i === turn) isRollingBack = true;
          const { active, pending } = nextTrafficWeights(now, step, isRollingBack);
          now = { ...now, activeTraffic: active, pendingTraffic: pending };
          const next = nextCapacityStep(now, surge, isRollingBack);
          if (next?.role === 'active') now = { ...now, activeCapacity: next.capacity };
          if (next?.role === 'pending') now = { ...now, pendingCapacity: next.capacity };
          expect(now.activeTraffic + now.pendingTraffic).toBe(100);
          expect(now.activeCapacity + now.pendingCapacity).toBeLessThanOrEqual(100 + surge);
          expect(now.activeTraffic).toBeLessThanOrEqual(Math.max(now.activeCapacity, 100 - now.pendingTraffic));
        }
        expect(now).toEqual(progress('100/100 0/0'));
      }),
      { numRuns: 100 },
    );
  });
});
