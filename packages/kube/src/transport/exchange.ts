import type { TransportResponse } from './transport.ts';
import type { StreamBody } from './stream-body.ts';

/** An answer whose body can be thrown away when the request is going to be sent again. */
export interface ExchangeResponse extends TransportResponse {
  readonly body: StreamBody;
}

/** The header's number of bytes, where the server announced one. */
export function contentLengthOf(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

/** Headers as plain strings: repeated ones are joined, protocol fields such as `:status` are left out. */
export function plainHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    if (name.startsWith(':')) continue;
    const value = headers[name];
    if (typeof value === 'string') plain[name] = value;
    else if (Array.isArray(value)) plain[name] = value.join(', ');
  }
  return plain;
}
