/**
 * The key of the session, which every request carries besides the cookie. It is stored for this origin, thus for this port alone; browsers
 * send the cookie to all ports of the host, where pods may listen.
 */
const NAME = 'manta-session-key';

/** The key before that of the URL. */
let replaced: string | undefined;

/** Takes back the key before that of the URL: any page may link here with a key that opens nothing. False: there is none. */
export function restoreKey(): boolean {
  if (replaced === undefined) return false;
  keepKey(replaced);
  replaced = undefined;
  return true;
}

/** Takes the key out of the URL that a one-time link led to, before anybody can copy it. */
export function takeKeyFromUrl(): void {
  const { hash, pathname, search } = window.location;
  const key = new URLSearchParams(hash.slice(1)).get('key');
  if (key === null) return;
  replaced = sessionKey();
  keepKey(key);
  window.history.replaceState(null, '', pathname + search);
}

export function keepKey(key: string): void {
  window.localStorage.setItem(NAME, key);
}

export function sessionKey(): string | undefined {
  return window.localStorage.getItem(NAME) ?? undefined;
}

/** The URL of an EventSource or a WebSocket: pages cannot choose the headers of these. */
export function withKey(path: string): string {
  const separator = path.includes('?') ? '&' : '?';
  return `${path}${separator}key=${encodeURIComponent(sessionKey() ?? '')}`;
}
