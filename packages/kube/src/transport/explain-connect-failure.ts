/** The explanation and remedy for an error's `code`. `host` is `name:port`. */
type Explanation = (host: string, server: URL, error: ConnectFailure) => string;

interface ConnectFailure extends Error {
  readonly code?: string;
  /** OpenSSL's own words, without its file names and numbers. */
  readonly reason?: string;
  /** Set by Node where a certificate does not carry the host's name. */
  readonly cert?: { readonly subjectaltname?: string };
}

/** One line that names the server, what went wrong while connecting to it, and what to do about it. */
export function explainConnectFailure(error: unknown, server: URL): string {
  const host = server.host;
  if (!(error instanceof Error)) return `Can't connect to the API server at ${host}: ${String(error)}`;
  const failure: ConnectFailure = innermost(error);
  const code = failure.code ?? '';
  const explain = BY_CODE[code] ?? BY_PATTERN.find(([pattern]) => pattern.test(code))?.[1];
  return explain?.(host, server, failure) ?? `Can't connect to the API server at ${host}: ${words(failure)}`;
}

const refused: Explanation = (host) =>
  `Nothing answers at ${host} (connection refused): check that the API server is running and that the address is right`;
const unresolved: Explanation = (host, server) =>
  `The host name ${server.hostname} of the API server ${host} can't be resolved: check its spelling and this machine's DNS`;
const noRoute: Explanation = (host) =>
  `There is no route to the API server at ${host}: check the network, the VPN and the address`;
const timedOut: Explanation = (host) =>
  `The API server at ${host} does not answer: a firewall may drop the packets, or the address is wrong`;
const closed: Explanation = (host) =>
  `${host} closed the connection before it was set up: check that an API server listens there, and any load balancer or proxy in between`;
const untrusted: Explanation = (host, _server, error) =>
  `The certificate of ${host} is not signed by the certificate authority we were given (${words(error)}): ` +
  `set the right certificate-authority in the kubeconfig`;
const notTls: Explanation = (host) =>
  `${host} does not speak TLS: if the API server is served without it, its address must begin with http://`;
const clientCertificate: Explanation = (host, _server, error) =>
  `${host} does not accept our client certificate (${words(error)}): renew client-certificate and client-key in the kubeconfig`;
const unreadable: Explanation = (host, _server, error) =>
  `The certificates for ${host} can't be used (${words(error)}): ` +
  `check certificate-authority, client-certificate and client-key in the kubeconfig`;
const wrongName: Explanation = (host, server, error) =>
  `The certificate of ${host} is not made for the name ${server.hostname}` +
  `${error.cert?.subjectaltname ? ` but for ${error.cert.subjectaltname}` : ''}: use one of its names, or set tls-server-name`;

const BY_CODE: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  EAI_NODATA: unresolved,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EHOSTDOWN: noRoute,
  ETIMEDOUT: timedOut,
  ECONNRESET: closed,
  EPIPE: closed,
  ERR_SOCKET_CLOSED: closed,
  CERT_HAS_EXPIRED: (host) =>
    `The certificate of ${host} has expired: renew it on the API server, and check that this machine's clock is right`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${host} is not valid yet: check that this machine's clock is right`,
  ERR_TLS_CERT_ALTNAME_INVALID: wrongName,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: unreadable,
};

const BY_PATTERN: readonly (readonly [RegExp, Explanation])[] = [
  [/ALERT_(BAD_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/, clientCertificate],
  [/^ERR_OSSL_(PEM|ASN1|EVP|X509|UNSUPPORTED|BAD)/, unreadable],
];

/** Several addresses fail as one AggregateError; its first error is representative. */
function innermost(error: Error): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error;
}

function words(error: ConnectFailure): string {
  return (error.reason ?? error.message).replaceAll(/\s+/g, ' ').trim();
}
