import { regexError } from './regex-error.ts';

/** Says what is wrong with a text; empty where nothing is. */
export type CheckText = (text: string) => readonly string[];

const encoder = new TextEncoder();

/** How many bytes a text has in UTF-8, which is what the server's limits count. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wildcard = `\\*\\.${subdomain}`;
const keyFormat = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const label1035Pattern = new RegExp(`^${label1035}$`);
const wildcardPattern = new RegExp(`^${wildcard}$`);
const keyPattern = new RegExp(`^${keyFormat}$`);
const labelValuePattern = new RegExp(`^(${keyFormat})?$`);

const keyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** A DNS label: what namespaces, containers and volumes are named by. */
export const checkLabelName: CheckText = (text) => {
  const found = tooLong(text, 63);
  if (labelPattern.test(text)) return found;
  if (subdomainPattern.test(text)) return [...found, 'must not contain dots'];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...found, regexError(message, label, 'my-name', '123-abc')];
};

/** A DNS subdomain: what most objects are named by. */
export const checkSubdomainName: CheckText = (text) => {
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  const found = tooLong(text, 253);
  return subdomainPattern.test(text) ? found : [...found, regexError(message, subdomain, 'example.com')];
};

/** The stricter DNS label that begins with a letter: what services are named by. */
export const checkServiceName: CheckText = (text) => {
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  const found = tooLong(text, 63);
  return label1035Pattern.test(text) ? found : [...found, regexError(message, label1035, 'my-name', 'abc-123')];
};

/** A wildcard host such as `*.example.com`. */
export const checkWildcardName: CheckText = (text) => {
  const message =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  const found = tooLong(text, 253);
  return wildcardPattern.test(text) ? found : [...found, regexError(message, wildcard, '*.example.com')];
};

/** A name that must only fit into one segment of a URL. */
export const checkPathSegment: CheckText = (text) => {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((part) => text.includes(part)).map((part) => `may not contain '${part}'`);
};

/** A name of the form that labels, annotations and finalizers are keyed by: an optional DNS prefix, a slash, a name. */
export const checkQualifiedName: CheckText = (text) => {
  const parts = text.split('/');
  const regex = regexError(keyMessage, keyFormat, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2) {
    return [`a valid label key ${regex} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const found: string[] = [];
  if (parts.length === 2) found.push(...checkPrefix(parts[0] ?? ''));
  if (name === '') found.push('name part must be non-empty');
  else found.push(...tooLong(name, 63, 'bytes').map((problem) => `name part ${problem}`));
  if (!keyPattern.test(name)) found.push(`name part ${regex}`);
  return found;
};

function checkPrefix(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return checkSubdomainName(prefix).map((problem) => `prefix part ${problem.replace(/ characters$/, ' bytes')}`);
}

/** The value of a label. */
export const checkLabelValue: CheckText = (text) => {
  const message =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const found = tooLong(text, 63, 'bytes');
  if (labelValuePattern.test(text)) return found;
  return [...found, regexError(message, `(${keyFormat})?`, 'MyValue', 'my_value', '12345')];
};

function tooLong(text: string, max: number, unit = 'characters'): readonly string[] {
  return byteLength(text) > max ? [`must be no more than ${max} ${unit}`] : [];
}
