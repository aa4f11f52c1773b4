import { ApplicationStatus, type AppStatus, DeploymentStatus } from '@manta/api';
import { lastWords } from '@manta/plan';
import { refText } from '../lookup.ts';
import type { RayRef } from '../world.ts';
import { brief, type Cause } from './cause.ts';
import type { CauseCode } from './codes.ts';

/** Why a Serve application does not run, by the messages of Serve; undefined if it runs. */
export function applicationCause(ref: RayRef, side: string, name: string, app: AppStatus): Cause | undefined {
  const deployments = Object.entries(app.serveDeploymentStatuses ?? {});
  const [sickName, sick] =
    deployments.find(([, { status }]) => status === DeploymentStatus.Unhealthy || status === 'DEPLOY_FAILED') ??
    deployments.find(([, { message }]) => isWaitingForResources(message)) ??
    [];
  const message = [app.message, sick?.message].filter((text) => text !== undefined && text !== '').join('\n');
  const source =
    sickName === undefined
      ? `status.${side}.applicationStatuses.${name}`
      : `status.${side}.applicationStatuses.${name}.serveDeploymentStatuses.${sickName}`;
  const evidence = [
    { object: ref, source, text: `${sick?.status ?? app.status}: ${brief(sick?.message || app.message)}` },
  ];
  const lines = message
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-10);
  const found = (code: CauseCode, sentence: string, action: string): Cause => ({
    code,
    object: ref,
    sentence,
    evidence,
    action,
    ...(lines.length > 1 ? { lines } : {}),
  });
  const subject = `Serve application ${name} of ${refText(ref)}`;
  if (app.status === ApplicationStatus.Running) return undefined;
  const imported = lastMatch(message, /(ModuleNotFoundError|ImportError|AttributeError|SyntaxError): .*/g);
  if (app.status === ApplicationStatus.DeployFailed && imported !== undefined)
    return found(
      'ServeImportError',
      `Serve cannot import application ${name}: ${brief(imported)}`,
      'Correct import_path in serveConfigV2, or add the code and its packages to the image or runtime_env.',
    );
  if (app.status === ApplicationStatus.DeployFailed || app.status === 'DEPLOY_FAILED')
    return found(
      'ServeDeployFailed',
      `${subject} cannot be deployed: ${brief(lastWords(message))}`,
      'Read the message of Serve below and correct the application or serveConfigV2.',
    );
  if (isWaitingForResources(message))
    return found(
      'ServeWaitingForResources',
      `${subject} waits for resources: ${brief(message)}`,
      'Lower ray_actor_options or num_replicas in serveConfigV2, or give the cluster more or larger workers.',
    );
  if (app.status === ApplicationStatus.Unhealthy)
    return found(
      'ServeUnhealthy',
      `${subject} is unhealthy: ${brief(sick?.message || app.message) || 'its replicas fail their health checks'}`,
      'Read the logs of its replicas: kubectl ray log.',
    );
  return {
    ...found(
      'ServeDeploying',
      `${subject} is ${(app.status ?? 'not started').toLowerCase().replaceAll('_', ' ')}`,
      'Wait.',
    ),
    isProgress: true,
  };
}

function isWaitingForResources(message: string | undefined): boolean {
  return /Resources required for each replica|waiting for.*resources|no available nodes|cannot be scheduled|pending allocation/i.test(
    message ?? '',
  );
}

function lastMatch(text: string, pattern: RegExp): string | undefined {
  return [...text.matchAll(pattern)].at(-1)?.[0];
}
