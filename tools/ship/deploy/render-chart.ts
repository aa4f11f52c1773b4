import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject } from '@manta/api';
import { parseAllDocuments } from 'yaml';

const execute = promisify(execFile);
const chart = resolve(import.meta.dirname, '../../../charts/kuberay-operator');

/** The objects that the operator's chart makes of some values, without what only Helm cares about. */
export async function renderChart(helm: string, values: object): Promise<readonly KubeObject[]> {
  const args = ['template', 'kuberay-operator', chart, '--namespace', 'default', '--kube-version', '1.36.0'];
  const settings = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
  const { stdout } = await execute(helm, [...args, ...settings], { maxBuffer: 1 << 26 });
  return parseAllDocuments(stdout).flatMap((document) => {
    const object: KubeObject | null = document.toJS();
    return object === null ? [] : [withoutHelm(object)];
  });
}

function withoutHelm(object: KubeObject): KubeObject {
  const { 'helm.sh/chart': _, 'app.kubernetes.io/managed-by': __, ...labels } = object.metadata?.labels ?? {};
  return { ...object, metadata: { ...object.metadata, labels } };
}
