import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { KubeObject, Pod } from '@manta/api';
import { type KubeClient, podLogLines, resources, type Transport } from '@manta/kube';
import { parseAllDocuments } from 'yaml';
import { podStages } from './pod-stages.ts';
import type { Stages } from './stages.ts';

const LOOK_MS = 250;
const NAMESPACE = 'default';

export interface SampleRun {
  readonly root: string;
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly stages: Stages;
  readonly say: (line: string) => void;
}

/** Runs the sample RayJob to its end and shows its way there and its output. Resolves with whether it succeeded. */
export async function runSampleJob(run: SampleRun, signal: AbortSignal): Promise<boolean> {
  const { client, stages } = run;
  const file = join(run.root, 'samples/rayjob.yaml');
  const name = await createSample(file, client);
  stages.reach(`RayJob ${name} created from ${relative(run.root, file)}`);
  let output: Promise<void> | undefined;
  for (;;) {
    signal.throwIfAborted();
    const [job, pods] = await Promise.all([
      client.get(resources.rayJobs, { namespace: NAMESPACE, name }),
      client.list(resources.pods, { namespace: NAMESPACE }),
    ]);
    const { status = {} } = job;
    showPods(pods.items, stages);
    const submitter = pods.items.find(({ metadata }) => metadata?.labels?.['job-name'] === name);
    if (submitter?.status?.phase !== undefined && submitter.status.phase !== 'Pending')
      output ??= showOutput(run, submitter, signal).catch((error: unknown) => {
        // Told to stop in the middle of it: that is no failure.
        if (!signal.aborted) throw error;
      });
    if (status.jobStatus === 'RUNNING') stages.reach('job running');
    if (status.jobDeploymentStatus === 'Complete' || status.jobDeploymentStatus === 'Failed') {
      await output;
      stages.reach(
        `job ${status.jobStatus ?? status.jobDeploymentStatus}${status.message ? `: ${status.message}` : ''}`,
      );
      return status.jobStatus === 'SUCCEEDED';
    }
    if (status.jobDeploymentStatus === 'ValidationFailed') throw new Error(status.message ?? 'the sample is not valid');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Creates what the file holds; the name is that of its RayJob. */
async function createSample(file: string, client: KubeClient): Promise<string> {
  let name = '';
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object: KubeObject = document.toJS();
    const isJob = object.kind === 'RayJob';
    const placed = { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } };
    await client.create(isJob ? resources.rayJobs : resources.configMaps, placed);
    if (isJob) name = object.metadata?.name ?? '';
  }
  return name;
}

function showPods(pods: readonly Pod[], stages: Stages): void {
  for (const pod of pods) for (const stage of podStages(pod)) stages.reach(stage);
}

/** What the job prints, without the submitter's own words around it. */
async function showOutput({ transport, say }: SampleRun, pod: Pod, signal: AbortSignal): Promise<void> {
  const options = { namespace: NAMESPACE, pod: pod.metadata?.name ?? '', follow: true, signal };
  for await (const text of podLogLines(transport, options)) {
    // Ray colours its own remarks, whoever reads them.
    const line = stripVTControlCharacters(text);
    if (!isChatter(line)) say(`            │ ${line}`);
  }
}

function isChatter(line: string): boolean {
  return (
    line.trim() === '' ||
    /^\s*(\d{4}-\d\d-\d\d [\d:,]+\s|\(|Waiting|Running entrypoint|Job submission|Next steps|Query|Request|Follow|ray job|Tailing|-{5,}|Job ')/.test(
      line,
    )
  );
}
