import { resources } from '@manta/kube';
import { Label, NodeType } from '@manta/api';
import type { Invocation } from '../invocation.ts';
import type { LogFlags } from './log-flags.ts';

/** Prints a link to Cloud Logging with a query for the cluster's pods. */
export async function cloudLoggingLink(
  call: Invocation,
  namespace: string,
  clusterName: string,
  nodeType: LogFlags['nodeType'],
): Promise<void> {
  const client = await call.client();
  const labelSelector = `${Label.NodeType}=${NodeType.Head},${Label.Cluster}=${clusterName}`;
  const { items } = await client.list(resources.pods, { namespace, labelSelector });
  const [head] = items;
  if (head !== undefined && head.spec?.containers.some(({ name }) => name === 'fluentbit') !== true)
    call.say(
      "Warning: The head pod does not have a 'fluentbit' container. Logs might not be exported to Google Cloud Logging.",
    );
  const query = [
    'resource.type="k8s_container"',
    `resource.labels.namespace_name="${namespace}"`,
    `labels."k8s-pod/ray_io/cluster"="${clusterName}"`,
    nodeType === 'all'
      ? 'labels."k8s-pod/ray_io/is-ray-node"="yes"'
      : `labels."k8s-pod/ray_io/node-type"="${nodeType}"`,
  ].join('\n');
  const { origin } = await call.connection();
  const project = /context "gke_([^_"]+)_/.exec(origin)?.[1];
  if (project === undefined)
    call.say(
      'Warning: The current kubectl context does not appear to be a GKE cluster. The generated link may not work.',
    );
  const link = `https://console.cloud.google.com/logs/query;query=${queryEscape(query)}`;
  call.print(project === undefined ? link : `${link}?project=${queryEscape(project)}`);
}

/** Go's `url.QueryEscape`: spaces become plus signs. */
function queryEscape(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
