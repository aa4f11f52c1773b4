/** Where a server listens; no host means every address of the machine, IPv6 and IPv4. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

export type ParsedListenAddress =
  | { readonly kind: 'listen'; readonly address: ListenAddress }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'invalid'; readonly message: string };

/** Reads `:8080`, `127.0.0.1:0`, `[::1]:80`, `localhost:80`; `0` and the empty string mean that nothing listens. */
export function parseListenAddress(text: string): ParsedListenAddress {
  if (text === '' || text === '0') return { kind: 'disabled' };
  const found = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([^[\]:]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535) return { kind: 'invalid', message: complaint(text) };
  const host = found[1] ?? found[2];
  return { kind: 'listen', address: { host: host === '' ? undefined : host, port } };
}

/** As it is written in a flag: the inverse of {@link parseListenAddress}. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  if (host === undefined) return `:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function complaint(text: string): string {
  const hint = /^\d+$/.test(text) ? ` (did you mean ":${text}"?)` : '';
  return `"${text}" is not an address to listen on${hint}; use ":8080", "127.0.0.1:8080", "[::1]:8080", or "0" for none`;
}
