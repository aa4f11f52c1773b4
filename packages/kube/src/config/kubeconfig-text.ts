/** Whom a kubeconfig is for. Certificates and keys are PEM. */
export interface KubeconfigOptions {
  readonly url: string;
  readonly ca: string;
  readonly user: string;
  readonly cert: string;
  readonly key: string;
  /** The name of cluster and context; default `engine`. */
  readonly context?: string;
}

/** A kubeconfig with one context, certificates inline. */
export function kubeconfigText({ url, ca, user, cert, key, context = 'engine' }: KubeconfigOptions): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: ${context}
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
users:
- name: ${JSON.stringify(user)}
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
contexts:
- name: ${context}
  context:
    cluster: ${context}
    user: ${JSON.stringify(user)}
current-context: ${context}
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
