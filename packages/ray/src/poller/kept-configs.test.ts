import { describe, expect, it } from 'vitest';
import { KeptConfigs } from './kept-configs.ts';

const MAX = 100;
const questions = (count: number) => Array.from({ length: count }, () => ({}));

describe('KeptConfigs', () => {
  it('leaves room for others: an answer is kept only while as much again stays free', () => {
    const kept = new KeptConfigs(MAX);
    expect(questions(4).map((question) => kept.mayKeep(question, 40))).toEqual([true, false, false, false]);
    // The heads with large answers did not take the room of those with small ones.
    expect(questions(3).map((question) => kept.mayKeep(question, 5))).toEqual([true, true, true]);
  });

  it('never keeps more than its limit, however many heads there are', () => {
    const kept = new KeptConfigs(MAX);
    const sizes = [70, 30, 20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1];
    const total = sizes.filter((bytes) => kept.mayKeep({}, bytes)).reduce((sum, bytes) => sum + bytes, 0);
    expect(total).toBeLessThanOrEqual(MAX);
  });

  it('counts the newest answer of a question only', () => {
    const kept = new KeptConfigs(MAX);
    const question = {};
    for (let at = 0; at < 50; at++) expect(kept.mayKeep(question, 40)).toBe(true);
  });

  it('has the room again after a question is no longer asked, or its answer became too large', () => {
    const kept = new KeptConfigs(MAX);
    const [first, second] = [{}, {}];
    expect([kept.mayKeep(first, 50), kept.mayKeep(second, 50)]).toEqual([true, false]);
    kept.drop(first);
    expect([kept.mayKeep(second, 50), kept.mayKeep(second, 60)]).toEqual([true, false]);
    expect(kept.mayKeep(first, 50)).toBe(true);
  });
});
