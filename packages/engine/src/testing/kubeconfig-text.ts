/** Who a kubeconfig is for. */
export interface KubeconfigOptions {
  readonly url: string;
  readonly ca: string;
  readonly user: string;
  readonly cert: string;
  readonly key: string;
}

/** A kubeconfig with one context, certificates inline. */
export function kubeconfigText({ url, ca, user, cert, key }: KubeconfigOptions): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: engine
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
users:
- name: ${JSON.stringify(user)}
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
contexts:
- name: engine
  context:
    cluster: engine
    user: ${JSON.stringify(user)}
current-context: engine
`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
