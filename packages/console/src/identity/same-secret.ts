import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets without telling by its duration how much of them agrees, or how long they are. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
