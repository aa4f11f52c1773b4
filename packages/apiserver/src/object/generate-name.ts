const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const MAX_PREFIX = 63 - 5;

/** A name with five random characters behind the prefix; characters that could spell something are not among them. */
export function generateName(prefix: string, random: () => number): string {
  const suffix = Array.from({ length: 5 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)] ?? 'b');
  return `${prefix.slice(0, MAX_PREFIX)}${suffix.join('')}`;
}
