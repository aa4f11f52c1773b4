/** Key of the token in a cluster's authentication Secret. */
export const AUTH_TOKEN_KEY = 'auth_token';

/** Keys that a TLS Secret must have before pods can use it. */
export const TlsKey = { Certificate: 'tls.crt', PrivateKey: 'tls.key', CaCertificate: 'ca.crt' } as const;
