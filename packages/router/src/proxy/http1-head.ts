import type { Outgoing } from './call.ts';
import { isFieldValue, isTarget, isToken } from './field-text.ts';
import { headerOf } from './headers.ts';

/** How the body of a request is framed. */
export interface RequestHead {
  readonly text: string;
  readonly isChunked: boolean;
}

/** The header of a request on the wire, in Latin-1; undefined if it contains invalid characters. */
export function requestHead({ method, target, host, headers, hasBody }: Outgoing): RequestHead | undefined {
  if (!isToken(method) || !isTarget(target) || !isFieldValue(host)) return undefined;
  let text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const [name = '', value = ''] = [headers[i], headers[i + 1]];
    if (!isToken(name) || !isFieldValue(value)) return undefined;
    text += `${name}: ${value}\r\n`;
  }
  const isSized = headerOf(headers, 'content-length') !== undefined;
  if (!isSized && hasBody) text += 'transfer-encoding: chunked\r\n';
  else if (!isSized && (method === 'POST' || method === 'PUT' || method === 'PATCH')) text += 'content-length: 0\r\n';
  return { text: `${text}connection: keep-alive\r\n\r\n`, isChunked: hasBody && !isSized };
}
