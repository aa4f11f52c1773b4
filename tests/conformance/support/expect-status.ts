import type { ApiAnswer } from '../../support/api-request.ts';
import { expect } from './expect.ts';

/** What a refusal must say; what is left out may be anything. */
export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string | RegExp;
  readonly details?: unknown;
}

/** Asserts that an answer is a Status that refuses, and that it says so. */
export function expectRefusal(answer: ApiAnswer | undefined, refusal: Refusal): void {
  const { message, ...exact } = refusal;
  const text = typeof message === 'string' ? { message } : {};
  const pattern = message instanceof RegExp ? { message: expect.stringMatching(message) as unknown } : {};
  expect({ ...(answer?.body as object), httpStatus: answer?.status }).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    httpStatus: refusal.code,
    ...text,
    ...pattern,
    ...exact,
  });
}

/** The causes of a refusal, as `field: reason: message` lines in the server's order. */
export function causesOf(answer: ApiAnswer): readonly string[] {
  const details = (answer.body as { details?: { causes?: { field?: string; reason?: string; message?: string }[] } })
    .details;
  return (details?.causes ?? []).map(({ field, reason, message }) => `${field}: ${reason}: ${message}`);
}

/** The warnings of an answer, without their codes and agents. */
export function warningsOf(answer: ApiAnswer): readonly string[] {
  const header = answer.headers['warning'];
  const text = header === undefined ? '' : typeof header === 'string' ? header : header.join(', ');
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1'));
}
