import { once } from 'node:events';
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { Server } from 'node:net';
import type { Connection, Credentials } from '../transport/connection.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type IssuedCertificate,
} from '../certificates/authority.ts';
import { type FaultStep, ServerExchange } from './fault-steps.ts';
import { type FaultyWire, openFaultyWire, portOf } from './faulty-wire.ts';

/** What the server saw of one request. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export interface FaultServerOptions {
  /** `h2` over TLS (default), `h1` over TLS without HTTP/2, or `plain` HTTP/1.1 without TLS. */
  readonly protocol?: 'h2' | 'h1' | 'plain';
  readonly certificate?: IssuedCertificate;
  readonly maxConcurrentStreams?: number;
  /** Asks for a client certificate signed by the test authority and refuses all others. */
  readonly requireClientCertificate?: boolean;
}

/** A server over real sockets that misbehaves on request. */
export class FaultServer {
  readonly authority: CertificateAuthority;
  readonly wire: FaultyWire;
  /** In the order of their arrival; requests that the server ignored (after a GOAWAY) are left out. */
  readonly requests: SeenRequest[] = [];
  readonly sessions = new Set<ServerHttp2Session>();
  readonly #protocol: 'h2' | 'h1' | 'plain';
  readonly #server: Server;
  readonly #script: FaultStep[] = [];
  #otherwise: FaultStep = (exchange) => exchange.json(200, {});

  private constructor(
    protocol: 'h2' | 'h1' | 'plain',
    authority: CertificateAuthority,
    server: Server,
    wire: FaultyWire,
  ) {
    this.#protocol = protocol;
    this.authority = authority;
    this.#server = server;
    this.wire = wire;
  }

  static async start(options: FaultServerOptions = {}): Promise<FaultServer> {
    const protocol = options.protocol ?? 'h2';
    const authority = createCertificateAuthority();
    const server = makeServer(protocol, authority, options, (request, response) => started.serve(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const started = new FaultServer(protocol, authority, server, await openFaultyWire(portOf(server)));
    const { sessions } = started;
    server.on('session', (session: ServerHttp2Session) => {
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
      session.on('error', () => undefined);
    });
    return started;
  }

  /** What the next requests get, in order of arrival; every later one gets what `otherwise` says. */
  script(...steps: readonly FaultStep[]): void {
    this.#script.push(...steps);
  }

  /** The response when the script is over; default `200 {}`. */
  otherwise(step: FaultStep): void {
    this.#otherwise = step;
  }

  /** A connection to this server; without credentials unless given. */
  connection(overrides: Partial<Connection> & { readonly who?: Credentials } = {}): Connection {
    const { who = { headers: {} }, ...rest } = overrides;
    const scheme = this.#protocol === 'plain' ? 'http' : 'https';
    return {
      server: new URL(`${scheme}://127.0.0.1:${this.wire.port}`),
      tls: { ca: this.authority.cert, rejectUnauthorized: true },
      credentials: () => who,
      invalidateCredentials: () => undefined,
      ...rest,
    };
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    await this.wire.close();
    this.#server.close();
  }

  /** Reads the request and plays the next step of the script. */
  serve(request: AnyRequest, response: AnyResponse): void {
    const exchange = new ServerExchange(request, response, this.wire);
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (exchange.isIgnored) return;
      const { method = '', url = '', headers } = request;
      this.requests.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
      const step = this.#script.shift() ?? this.#otherwise;
      step(exchange);
    });
  }
}

type AnyRequest = Http2ServerRequest | IncomingMessage;
type AnyResponse = Http2ServerResponse | ServerResponse;

function makeServer(
  protocol: 'h2' | 'h1' | 'plain',
  authority: CertificateAuthority,
  options: FaultServerOptions,
  serve: (request: AnyRequest, response: AnyResponse) => void,
): Server {
  if (protocol === 'plain') return createHttp1(serve);
  const identity =
    options.certificate ?? authority.issue({ commonName: 'api', ips: ['127.0.0.1'], dnsNames: ['api.test'] });
  const tls = {
    ...identity,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: options.requireClientCertificate ?? false,
  };
  if (protocol === 'h1') return createHttps({ ...tls, ALPNProtocols: ['http/1.1'] }, serve);
  return createSecureServer({ ...tls, settings: { maxConcurrentStreams: options.maxConcurrentStreams ?? 250 } }, serve);
}
