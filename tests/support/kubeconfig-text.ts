import type { Credentials } from './api-request.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig with one context, certificates inline. */
export function kubeconfigText(credentials: Credentials & { readonly user: string }): string {
  const { url, ca, cert, key, token, user } = credentials;
  const identity = [
    ...(cert === undefined ? [] : [`    client-certificate-data: ${base64(cert)}`]),
    ...(key === undefined ? [] : [`    client-key-data: ${base64(key)}`]),
    ...(token === undefined ? [] : [`    token: ${JSON.stringify(token)}`]),
  ];
  return `apiVersion: v1
kind: Config
clusters:
- name: plane
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
users:
- name: ${JSON.stringify(user)}
  user:${identity.length === 0 ? ' {}' : ''}
${identity.map((line) => `${line}\n`).join('')}contexts:
- name: plane
  context:
    cluster: plane
    user: ${JSON.stringify(user)}
current-context: plane
`;
}
