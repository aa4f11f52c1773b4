/** What is asked of a system; exactly what `node:os` and `process` say of it. */
export interface SystemFacts {
  readonly platform: string;
  readonly release: string;
  readonly isRoot: boolean;
}

/**
 * The interface to which a socket that listens on all addresses can be held, so that nobody outside this machine reaches it; undefined where
 * the system has none or keeps it for root, as Linux did before 5.7.
 */
export function loopbackDevice({ platform, release, isRoot }: SystemFacts): string | undefined {
  if (platform !== 'linux') return undefined;
  const [major = 0, minor = 0] = release.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return isRoot || major > 5 || (major === 5 && minor >= 7) ? 'lo' : undefined;
}
