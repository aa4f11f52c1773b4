import type { Connection, Credentials } from '@manta/kube';

/** A person whom the console, and not the API server, has identified. */
export interface NamedUser {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Why a name may not be impersonated; undefined: it may. Kubernetes keeps names with `system:` for itself. */
export function whyNotImpersonated({ user }: NamedUser): string | undefined {
  if (user === '') return 'the login has no user name';
  if (user.startsWith('system:')) return `user names that begin with "system:" are refused: ${user}`;
  return isHeaderSafe(user) ? undefined : 'the user name holds characters that no HTTP header may hold';
}

/**
 * The console's own credentials, with the headers that make the API server treat each request as the user's. The console's account needs the
 * verb `impersonate` on users and groups. Groups that begin with `system:` are left out, so that no login can claim `system:masters`.
 */
export function impersonate(server: Connection, { user, groups }: NamedUser): () => Promise<Credentials> {
  const kept = groups.filter((group) => group !== '' && !group.startsWith('system:') && isHeaderSafe(group));
  const headers = {
    'impersonate-user': toHeader(user),
    ...(kept.length === 0 ? {} : { 'impersonate-group': kept.map(toHeader) }),
  };
  let last: { readonly own: Credentials; readonly result: Credentials } | undefined;
  return async () => {
    const own = await server.credentials();
    if (last?.own !== own) last = { own, result: { ...own, headers: { ...own.headers, ...headers } } };
    return last.result;
  };
}

function isHeaderSafe(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.trim() === text;
}

/** UTF-8 on the wire: Node writes each character of a header as one byte. */
function toHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
