import { guardConnection } from '@manta/base';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { type Certificates, type Identity, MIN_TLS_VERSION } from './certificates.ts';

/** The first byte of a TLS handshake, which no HTTP request starts with. */
export const HANDSHAKE = 0x16;

/** Takes connections whose first bytes, put back, are a handshake; `taken` gets them once it has succeeded. */
export function createTlsDoor(certificates: Certificates, handshakeMs: number, taken: (socket: TLSSocket) => void) {
  const server = createServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    minVersion: MIN_TLS_VERSION,
    handshakeTimeout: handshakeMs,
    SNICallback(name, done) {
      const context = certificates.contextFor(name);
      if (context === undefined) done(new Error(`there is no certificate for ${name}`));
      else done(null, context);
    },
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('secureConnection', guardConnection('router', taken));
  let fallback: Identity | undefined;
  return (socket: Socket): void => {
    if (certificates.isEmpty) {
      socket.destroy();
      return;
    }
    if (certificates.fallback !== fallback) {
      ({ fallback } = certificates);
      server.setSecureContext(fallback ?? { minVersion: MIN_TLS_VERSION });
    }
    server.emit('connection', socket);
  };
}
