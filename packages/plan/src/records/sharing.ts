/** Returns one shared copy of equal values, so that the records of many objects need little memory. */
export interface Sharing {
  string(value: string): string;
  string(value: string | undefined): string | undefined;
  value<T extends object>(value: T): T;
  value<T extends object>(value: T | undefined): T | undefined;
}

function same<T>(value: T): T {
  return value;
}

/** Shares nothing: for records that are soon dropped. */
export const UNSHARED: Sharing = { string: same, value: same };
