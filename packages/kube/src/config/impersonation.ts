import { isHeaderSafe } from './exec-credential.ts';
import type { Fields } from './fields.ts';

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The `impersonate-*` headers that a kubeconfig user asks for (`as`, `as-uid`, `as-groups`, `as-user-extra`). */
export function impersonationHeaders(user: Fields): Headers {
  const name = user.text('as');
  const uid = user.text('as-uid');
  const groups = user.texts('as-groups').map((group) => headerValue(user, 'as-groups', group));
  const extra = user.mapping('as-user-extra');
  if (name === undefined) {
    if (uid !== undefined || groups.length > 0 || (extra?.names().length ?? 0) > 0) {
      throw user.error('as', 'is missing: as-uid, as-groups and as-user-extra need a user to act as');
    }
    return {};
  }
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': headerValue(user, 'as', name) };
  if (uid !== undefined) headers['impersonate-uid'] = headerValue(user, 'as-uid', uid);
  if (groups.length > 0) headers['impersonate-group'] = groups;
  for (const key of extra?.names() ?? []) {
    const values = extra?.texts(key).map((value) => headerValue(user, `as-user-extra.${key}`, value)) ?? [];
    headers[`impersonate-extra-${escapeHeaderKey(key.toLowerCase())}`] = values;
  }
  return headers;
}

/** UTF-8 on the wire: Node writes each character of a header as one byte. */
function headerValue(user: Fields, field: string, text: string): string {
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  if (!isHeaderSafe(bytes)) throw user.error(field, 'holds line breaks or control characters');
  return bytes;
}

/** Percent-encodes what a header name may not hold, and `%` itself, byte by byte. */
function escapeHeaderKey(key: string): string {
  let escaped = '';
  for (const byte of Buffer.from(key, 'utf8')) {
    const char = String.fromCharCode(byte);
    escaped += /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
