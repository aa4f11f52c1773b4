import type { RawHeaders } from './call.ts';
import { joinedHeader } from './headers.ts';

/**
 * Why a request with these headers cannot be passed on. Its body ends where the last coding, `chunked`, says so; another coding would have to
 * be undone first, and whoever gets the body without the header would take the coded bytes for the content (RFC 9112, 6.1).
 */
export function codingRefusal(headers: RawHeaders): { readonly status: number; readonly why: string } | undefined {
  const coding = joinedHeader(headers, 'transfer-encoding');
  if (coding === undefined || coding.toLowerCase() === 'chunked') return undefined;
  const why = `Transfer-Encoding ${JSON.stringify(coding.slice(0, 80))} is not served; send the body with "chunked" alone`;
  return { status: 501, why };
}
