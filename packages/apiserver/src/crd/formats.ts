import { isIP, isIPv4, isIPv6 } from 'node:net';

type IsValid = (text: string) => boolean;

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

/** Formats of strings that the server checks; all others mean nothing to it. */
const checks: ReadonlyMap<string, IsValid> = new Map<string, IsValid>([
  ['byte', matches(/^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/)],
  ['cidr', isCidr],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', matches(/^[^\s@<>()]+@[^\s@<>()]+$/)],
  [
    'hostname',
    matches(
      /^(?=.{1,255}$)([A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*\.?$/,
    ),
  ],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['k8sshortname', matches(/^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/)],
  ['k8slongname', matches(/^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)],
  [
    'mac',
    matches(
      /^([0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(\2[0-9A-Fa-f]{2}){4}(\2[0-9A-Fa-f]{2}){0,2}|([0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4})$/,
    ),
  ],
  ['password', () => true],
  ['uri', isUri],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['hexcolor', matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
]);

/** The format as far as the server heeds it with this type; undefined where it does not. */
export function heededFormat(type: string | undefined, format: string | undefined): string | undefined {
  if (format === undefined) return undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : undefined;
  if (type === 'number') return format === 'float' || format === 'double' ? format : undefined;
  if (type !== undefined && type !== 'string') return undefined;
  return checks.has(format.replaceAll('-', '')) ? format : undefined;
}

/** Whether a text has the form that its format names. */
export function hasFormat(text: string, format: string): boolean {
  return checks.get(format.replaceAll('-', ''))?.(text) ?? true;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toUpperCase().split('T');
  return isDate(date) && /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(time);
}

function isDuration(text: string): boolean {
  const go = /^[+-]?((\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
  const words =
    /^\d+\s*(ns|nanos?|us|µs|micros?|ms|millis?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/;
  return text === '0' || go.test(text) || words.test(text);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  return (
    more.length === 0 &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) <= (isIP(address) === 6 ? 128 : 32) &&
    isIP(address) !== 0
  );
}

function isUri(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}
