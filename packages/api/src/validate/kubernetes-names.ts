/** What Kubernetes says about names, label keys and label values. Its wording is part of our messages, so it is kept. */
import { MAX_LABEL_LENGTH } from '../limits.ts';

const MAX_SUBDOMAIN_LENGTH = 253;
const DNS_1035_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';
const DNS_1123_LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_1123_SUBDOMAIN = `${DNS_1123_LABEL}(\\.${DNS_1123_LABEL})*`;
const LABEL_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${LABEL_NAME})?`;

const NAME_CHARACTERS =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** Why a name is no DNS-1035 label; nothing where it is one. */
export function dns1035LabelErrors(name: string): readonly string[] {
  return [
    ...(byteLength(name) > MAX_LABEL_LENGTH ? [`must be no more than ${MAX_LABEL_LENGTH} characters`] : []),
    ...mismatch(
      name,
      DNS_1035_LABEL,
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      ['my-name', 'abc-123'],
    ),
  ];
}

/** Why a name is no DNS-1123 label; nothing where it is one. */
export function dns1123LabelErrors(name: string): readonly string[] {
  const tooLong = byteLength(name) > MAX_LABEL_LENGTH ? [`must be no more than ${MAX_LABEL_LENGTH} characters`] : [];
  if (matches(name, DNS_1123_SUBDOMAIN) && !matches(name, DNS_1123_LABEL)) return [...tooLong, 'must not contain dots'];
  return [
    ...tooLong,
    ...mismatch(
      name,
      DNS_1123_LABEL,
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      ['my-name', '123-abc'],
    ),
  ];
}

/** Why a text can't be the key of a label; nothing where it can. */
export function labelKeyErrors(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    const rule = explain(`a valid label key must ${NAME_CHARACTERS}`, LABEL_NAME, ['MyName', 'my.name', '123-abc']);
    return [`${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return [...(prefix === undefined ? [] : labelPrefixErrors(prefix)), ...labelNameErrors(name)];
}

function labelPrefixErrors(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems = [
    ...tooManyBytes(prefix, MAX_SUBDOMAIN_LENGTH),
    ...mismatch(
      prefix,
      DNS_1123_SUBDOMAIN,
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      ['example.com'],
    ),
  ];
  return problems.map((problem) => `prefix part ${problem}`);
}

function labelNameErrors(name: string): readonly string[] {
  const length = name === '' ? ['must be non-empty'] : tooManyBytes(name, MAX_LABEL_LENGTH);
  const characters = mismatch(name, LABEL_NAME, `must ${NAME_CHARACTERS}`, ['MyName', 'my.name', '123-abc']);
  return [...length, ...characters].map((problem) => `name part ${problem}`);
}

/** Why a text can't be the value of a label; nothing where it can. */
export function labelValueErrors(value: string): readonly string[] {
  return [
    ...tooManyBytes(value, MAX_LABEL_LENGTH),
    ...mismatch(value, LABEL_VALUE, `a valid label must be an empty string or ${NAME_CHARACTERS}`, [
      'MyValue',
      'my_value',
      '12345',
    ]),
  ];
}

/** Several reasons as one text, in the brackets that Kubernetes' tools put around them. */
export function bracketed(reasons: readonly string[]): string {
  return `[${reasons.join(' ')}]`;
}

/** Bytes of a text in UTF-8, which is how Kubernetes measures names. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooManyBytes(text: string, limit: number): readonly string[] {
  return byteLength(text) > limit ? [`must be no more than ${limit} bytes`] : [];
}

function matches(text: string, pattern: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

function mismatch(text: string, pattern: string, rule: string, examples: readonly string[]): readonly string[] {
  return matches(text, pattern) ? [] : [explain(rule, pattern, examples)];
}

function explain(rule: string, pattern: string, examples: readonly string[]): string {
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${list}regex used for validation is '${pattern}')`;
}
