import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import { authorize } from '../auth/authorize.ts';
import { noSuchPath } from '../status/errors.ts';
import { handleRead } from './handle-read.ts';
import { handleWrite } from './handle-write.ts';
import type { Scope } from './request.ts';
import { parsePath } from './request-path.ts';
import { requireSubresourceVerb } from './subresource-verbs.ts';

/** A request by path, its body decoded. */
export interface RoutedCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body: unknown;
  readonly user: User;
  readonly userAgent: string;
  readonly warn: (message: string) => void;
}

/** Answers a request by path: objects, subresources, reviews. */
export async function route(api: Api, call: RoutedCall): Promise<unknown> {
  const { pathname } = new URL(call.url, 'https://engine');
  const path = parsePath(pathname);
  const found = path === undefined ? undefined : api.registry.find(path.group, path.version, path.plural);
  if (path === undefined || found === undefined) throw noSuchPath();
  const { namespace, name, subresource } = path;
  const { user, userAgent, warn } = call;
  const scope: Scope = { ...found, namespace, name, subresource, user, userAgent, warn };
  const verb = call.method === 'GET' ? 'get' : 'create';
  authorize(api, scope, verb);
  requireSubresourceVerb(scope, verb);
  if (call.method === 'GET') return handleRead(api, scope);
  return (await handleWrite(api, scope, { verb: 'create', body: call.body }, {})).object;
}
