import { TLSSocket } from 'node:tls';
import type { Api } from '../api.ts';
import { ANONYMOUS, type User } from '../auth/user.ts';
import { unauthorized } from '../status/errors.ts';
import { type HttpRequest, header } from './http-request.ts';

/** Tokens that are known from the start. */
export type StaticTokens = ReadonlyMap<string, User>;

const known = new WeakMap<TLSSocket, User | null>();

/** The user of a request: by client certificate, else by token, else anonymous. Invalid credentials are refused. */
export function authenticate(api: Api, request: HttpRequest, tokens: StaticTokens): User {
  const byCertificate = certificateUser(socketOf(request));
  if (byCertificate !== undefined) return byCertificate;
  const token = /^Bearer +(\S+)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  if (token === undefined) return ANONYMOUS;
  const user = tokens.get(token) ?? api.tokens?.verify(token)?.user;
  if (user === undefined) throw unauthorized();
  return withAuthenticated(user);
}

function socketOf(request: HttpRequest): TLSSocket | undefined {
  const socket = 'stream' in request ? request.stream.session?.socket : request.socket;
  return isTls(socket) ? socket : undefined;
}

/** HTTP/2 hands out a proxy of the socket, which no instanceof knows. */
function isTls(socket: unknown): socket is TLSSocket {
  return (
    socket instanceof TLSSocket || (typeof socket === 'object' && socket !== null && 'getPeerCertificate' in socket)
  );
}

function certificateUser(socket: TLSSocket | undefined): User | undefined {
  if (socket === undefined) return undefined;
  let user = known.get(socket);
  if (user === undefined) {
    user = readCertificate(socket);
    known.set(socket, user);
  }
  return user ?? undefined;
}

function readCertificate(socket: TLSSocket): User | null {
  const certificate = socket.getPeerCertificate();
  if (Object.keys(certificate).length === 0) return null;
  if (!socket.authorized) throw unauthorized();
  const { CN, O } = certificate.subject;
  const groups = O === undefined ? [] : [O].flat();
  return withAuthenticated({ name: [CN].flat()[0] ?? '', groups });
}

function withAuthenticated(user: User): User {
  const group = 'system:authenticated';
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] };
}
