import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedFolder } from '../support/shared-folder.ts';

const root = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/edge-cases.md'), 'utf8');
const rows = text.split('\n').filter((line) => line.startsWith('| ') && !/^\| (Cases|What|---)/.test(line));
const tests = globSync(['packages/*/src/**/*.test.ts', 'tests/**/*.ts'], { cwd: root })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

/** The numbers that the first column of a row names: `170–172, 175`. */
function casesOf(row: string): readonly number[] {
  const first = row.split('|')[1] ?? '';
  if (!/^[\dX,–\s]+$/.test(first)) return [];
  return [...first.matchAll(/(?<!X)\b(\d+)(?:–(\d+))?/g)].flatMap(([, from, to]) => {
    const start = Number(from);
    return Array.from({ length: Number(to ?? from) - start + 1 }, (_, i) => start + i);
  });
}

/** Names within backticks, and titles within quotes. */
const named = (row: string) => [...row.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const quoted = (row: string) =>
  [...row.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title.replaceAll('…', '').trim());

/** `plan/x.test.ts` stands for the folder of RayServices. */
function isFile(name: string): boolean {
  const places = [name, `packages/${name}`, name.replace(/^plan\//, 'packages/plan/src/rayservice/')];
  return places.some((place) => existsSync(join(root, place)));
}

describe('the table of edge cases', () => {
  it('has every case of the list, once', () => {
    const all = rows.flatMap(casesOf);
    const wanted = Array.from({ length: 297 }, (_, i) => i + 1);
    expect(wanted.filter((number) => !all.includes(number))).toEqual([]);
    expect(all.filter((number, i) => all.indexOf(number) !== i)).toEqual([]);
  });

  it('names files that are there', () => {
    const files = rows.flatMap(named).filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => !isFile(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(50);
  });

  it('names tests by words of their titles', () => {
    expect(rows.flatMap(quoted).filter((title) => !tests.includes(title))).toEqual([]);
  });

  const scenarios = join(sharedFolder(), 'oracle/scenarios');
  it.skipIf(!existsSync(scenarios))('names scenarios that are played', () => {
    const names = rows.flatMap(named).filter((name) => /^ray(job|service|cronjob)\/[a-z0-9*-]+$/.test(name));
    expect(names.filter((name) => globSync(`${name}.yaml`, { cwd: scenarios }).length === 0)).toEqual([]);
    expect(names.length).toBeGreaterThan(50);
  });
});
