/** The path of a pod's subresource with its query. */
export function podPath(
  pod: { readonly namespace: string; readonly pod: string },
  subresource: 'exec' | 'attach' | 'portforward' | 'log',
  query: readonly (readonly [name: string, value: string])[],
): string {
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.pod)}/${subresource}`;
  const parameters = new URLSearchParams();
  for (const [name, value] of query) parameters.append(name, value);
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
