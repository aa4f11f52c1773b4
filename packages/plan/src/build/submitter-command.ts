import {
  type Container,
  DefaultPort,
  goQuote,
  isReleaseAtLeast,
  JobSubmissionMode,
  type Parsed,
  PortName,
  parsed,
  parseSemver,
  type RayJobSpec,
  RayPath,
  unparsed,
  type YamlParser,
} from '@manta/api';
import { commandJson } from './command-json.ts';
import type { BuildContext } from './context.ts';
import { rayContainerOf } from './pod-draft.ts';
import { namedPort } from './probes.ts';
import { readRuntimeEnv } from './submitter-runtime-env.ts';

/** Inputs of a submit command. */
export interface SubmitInput {
  readonly spec: RayJobSpec;
  /** `status.jobId`. */
  readonly jobId: string;
  /** `status.dashboardURL`; unused in SidecarMode, where the submitter runs beside the dashboard. */
  readonly dashboardUrl: string;
  readonly parseYaml: YamlParser;
}

/** The first Ray release whose `ray job submit` accepts metadata. */
const METADATA_SINCE = [2, 6, 0] as const;

/**
 * The shell command that waits for the head, submits the job unless the head already has it, and follows its logs. The user's texts are
 * quoted as words, but the shell still expands them: `$VAR` in an entrypoint or a runtime environment is the variable.
 */
export function submitCommand(input: SubmitInput, { gates }: BuildContext): Parsed<string> {
  const { spec, jobId } = input;
  const place = placeOf(input);
  if (!place.ok) return place;
  const options = submitOptions(input);
  if (!options.ok) return options;
  const { address } = place.value;
  const isGuarded = spec.submissionMode !== JobSubmissionMode.Sidecar || gates.SidecarSubmitterRestart;
  return parsed(
    [
      ...waitForHead(place.value),
      ...(isGuarded ? [`if ! ray job status --address ${address} ${jobId} >/dev/null 2>&1 ; then`] : []),
      `ray job submit --address ${address}`,
      ...(isGuarded ? ['--no-wait'] : []),
      ...options.value,
      `-- ${(spec.entrypoint ?? '').trim()} ;`,
      ...(isGuarded ? [`fi ; ray job logs --address ${address} --follow ${jobId}`] : []),
    ].join(' '),
  );
}

interface Place {
  readonly address: string;
  readonly healthUrl: string;
}

/** The head's address for the submitter. */
function placeOf({ spec, dashboardUrl }: SubmitInput): Parsed<Place> {
  const mode = spec.submissionMode || JobSubmissionMode.K8sJob;
  if (mode === JobSubmissionMode.K8sJob) {
    const address = dashboardUrl.startsWith('http://') ? dashboardUrl : `http://${dashboardUrl}`;
    return parsed({ address, healthUrl: `${address}/${RayPath.GcsHealth}` });
  }
  if (mode === JobSubmissionMode.Sidecar) {
    const port = dashboardPort(
      rayContainerOf(spec.rayClusterSpec?.headGroupSpec?.template?.spec ?? { containers: [] }),
    );
    return parsed({ address: `http://127.0.0.1:${port}`, healthUrl: `http://localhost:${port}/${RayPath.GcsHealth}` });
  }
  return unparsed(`unsupported submission mode for job submit command: ${mode}`);
}

function dashboardPort(head: Container): number {
  return namedPort(head, PortName.Dashboard) ?? DefaultPort.Dashboard;
}

/** Checks the GCS, which a submission needs, with Python, which every Ray image has. */
function waitForHead({ address, healthUrl }: Place): readonly string[] {
  const ask = `import urllib.request; r=urllib.request.urlopen('${healthUrl}', timeout=10); exit(0 if b'success' in r.read() else 1)`;
  return [
    `until python -c "${ask}" >/dev/null 2>&1 ;`,
    `do echo "Waiting for Ray Dashboard GCS to become healthy at ${address} ..." ; sleep 2 ; done ;`,
  ];
}

function submitOptions(input: SubmitInput): Parsed<readonly string[]> {
  const { spec, jobId } = input;
  const runtimeEnv = readRuntimeEnv(spec.runtimeEnvYAML, input.parseYaml);
  if (!runtimeEnv.ok) return runtimeEnv;
  const metadata = metadataOption(spec);
  if (!metadata.ok) return metadata;
  return parsed([
    ...(runtimeEnv.value === undefined ? [] : [`--runtime-env-json ${goQuote(commandJson(runtimeEnv.value))}`]),
    ...metadata.value,
    ...(jobId === '' ? [] : [`--submission-id ${jobId}`]),
    ...amountOption('--entrypoint-num-cpus', spec.entrypointNumCpus),
    ...amountOption('--entrypoint-num-gpus', spec.entrypointNumGpus),
    ...(spec.entrypointResources ? [`--entrypoint-resources ${goQuote(spec.entrypointResources)}`] : []),
  ]);
}

function metadataOption({ metadata = {}, rayClusterSpec }: RayJobSpec): Parsed<readonly string[]> {
  if (Object.keys(metadata).length === 0) return parsed([]);
  const rayVersion = rayClusterSpec?.rayVersion ?? '';
  if (rayVersion !== '') {
    const version = parseSemver(rayVersion);
    if (!version.ok) return unparsed(`failed to parse Ray version: ${rayVersion}: ${version.error}`);
    if (!isReleaseAtLeast(version.value, METADATA_SINCE))
      return unparsed('the Ray version must be at least 2.6.0 to use the metadata field');
  }
  return parsed([`--metadata-json ${goQuote(commandJson(metadata))}`]);
}

/** The CRD's types hold these numbers as 32-bit floats, which decide the printed digits. */
function amountOption(flag: string, amount = 0): readonly string[] {
  return amount > 0 ? [`${flag} ${sixDecimals(Math.fround(amount))}`] : [];
}

/** Six decimals, rounded half to even like Go. */
function sixDecimals(amount: number): string {
  const millionths = amount * 1e6;
  const below = Math.floor(millionths);
  return ((millionths - below === 0.5 ? below + (below % 2) : Math.round(millionths)) / 1e6).toFixed(6);
}
