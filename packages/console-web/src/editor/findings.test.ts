import { TEMPLATES } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { checkText } from './findings.ts';

const template = TEMPLATES.find(({ name }) => name === 'job')?.render('train') ?? '';

/** What is said about a text, with the part of the text that is marked. */
const said = (text: string) => checkText(text).findings.map(({ from, to, message }) => [text.slice(from, to), message]);

describe('checkText()', () => {
  it.each(TEMPLATES.map((each) => [each.name, each.render('x')] as const))('accepts the template %s', (_, text) => {
    const { findings, manifests } = checkText(text);
    expect(findings).toEqual([]);
    expect(manifests).toHaveLength(1);
  });

  it.each<[string, (text: string) => string, string, RegExp]>([
    [
      'an unknown field',
      (text) => text.replace('entrypoint:', 'entrypont:'),
      'entrypont',
      /Unknown field entrypont. Did you mean entrypoint\?/,
    ],
    ['a wrong type', (text) => text.replace('backoffLimit: 1', 'backoffLimit: one'), 'one', /must be an integer/],
    [
      'a number where text is expected',
      (text) => text.replace('name: train', 'name: 17'),
      '17',
      /Put it in quotes: "17"/,
    ],
    [
      'a value that is not known',
      (text) => text.replace('spec:', 'spec:\n  submissionMode: Mail'),
      'Mail',
      /known are .*HTTPMode/,
    ],
    [
      "a rule of the operator's own",
      (text) => text.replace('backoffLimit: 1', 'backoffLimit: -1'),
      '-1',
      /backoffLimit/,
    ],
    ['an unknown kind', (text) => text.replace('kind: RayJob', 'kind: RayJbo'), 'RayJbo', /is not a Ray kind/],
  ])('marks %s', (_, change, marked, message) => {
    const text = change(template);
    expect(text).not.toBe(template);
    const [first] = said(text).filter(([, each]) => message.test(each ?? ''));
    expect(first?.[0]).toBe(marked);
  });

  it('marks broken syntax and offers nothing to apply', () => {
    const { findings, manifests } = checkText('spec:\n  a: [1,\n');
    expect(findings.length).toBeGreaterThan(0);
    expect(manifests).toEqual([]);
  });

  it('leaves other kinds to the API server', () => {
    expect(checkText('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: { x: y }\n')).toMatchObject({
      findings: [],
      manifests: [{ kind: 'ConfigMap' }],
    });
  });
});
