/**
 * The cookie that names a session. The prefix `__Host-` makes browsers insist on Secure, on the path `/` and on this very host;
 * browsers accept such a cookie from a loopback address over plain HTTP, too.
 */
const NAME = '__Host-manta';

export function setCookie(id: string, maxAgeSeconds: number): string {
  return `${NAME}=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${Math.floor(maxAgeSeconds)}`;
}

export function clearCookie(): string {
  return `${NAME}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`;
}

/** The session id in a Cookie header. */
export function sessionIdIn(header: string | undefined): string | undefined {
  return valueIn(header, NAME);
}

/** Ties a login at a provider to the browser that began it. */
const LOGIN = '__Host-manta-login';

export function loginCookie(id: string): string {
  return `${LOGIN}=${id}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600`;
}

export function loginIdIn(header: string | undefined): string | undefined {
  return valueIn(header, LOGIN);
}

function valueIn(header: string | undefined, wanted: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === wanted && value !== undefined && value !== '') return value;
  }
  return undefined;
}
