import { type HeadCalls, isGood } from './head-calls.ts';
import { statusError } from './call-head.ts';

/** Whether the head holds a package. */
export async function hasPackage(calls: HeadCalls, uri: string): Promise<boolean> {
  const call = calls.question('GetPackage', 'version', packagePath(uri));
  const answer = await calls.answer(call);
  if (answer.status === 404) return false;
  if (!isGood(answer.status)) throw statusError(call, answer);
  return true;
}

/** Hands a package to the head, which keeps it for the jobs that name it. */
export async function putPackage(calls: HeadCalls, uri: string, bytes: Uint8Array): Promise<void> {
  const call = { ...calls.command('PutPackage', 'PUT', packagePath(uri)), bytes };
  const answer = await calls.answer(call);
  if (!isGood(answer.status)) throw statusError(call, answer);
}

/** `gcs://_ray_pkg_0a1b.zip` is served at `/api/packages/gcs/_ray_pkg_0a1b.zip`. */
function packagePath(uri: string): string {
  const [, protocol = '', name = ''] = /^([a-z]+):\/\/([\w.-]+)$/.exec(uri) ?? [];
  if (name === '') throw new Error(`not the URI of a package: ${uri}`);
  return `/api/packages/${protocol}/${name}`;
}
