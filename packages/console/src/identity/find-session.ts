import type { ConsoleParts } from '../console-parts.ts';
import { keyIn } from '../http/request-guard.ts';
import { sessionIdIn } from './session-cookie.ts';
import type { ViewerSession } from './sessions.ts';
import { userNamedIn } from './trusted-header.ts';

/** The session of a request. Behind an auth proxy the proxy must still name the user of the session: who logged out there is out here. */
export function findSession(
  { sessions, trustedHeader }: Pick<ConsoleParts, 'sessions' | 'trustedHeader'>,
  headers: Headers,
  url: string,
): ViewerSession | undefined {
  const session = sessions.find(sessionIdIn(headers.get('cookie') ?? undefined), keyIn(headers, url));
  if (session?.viewer.method !== 'proxy-header') return session;
  const named = trustedHeader === undefined ? undefined : userNamedIn(headers, trustedHeader);
  return named?.user === session.viewer.user ? session : undefined;
}
