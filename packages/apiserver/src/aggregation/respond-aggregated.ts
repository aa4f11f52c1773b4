import type { Api } from '../api.ts';
import type { User } from '../auth/user.ts';
import type { HttpRequest, HttpResponse } from '../http/http-request.ts';
import { respond, respondText } from '../http/respond.ts';
import type { ResourcePath } from '../requests/request-path.ts';
import { methodNotAllowed } from '../status/errors.ts';
import { StatusError } from '../status/status-error.ts';
import type { AggregatedGroup } from './aggregated-group.ts';

export interface AggregatedCall {
  readonly api: Api;
  readonly group: AggregatedGroup;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly request: HttpRequest;
  readonly response: HttpResponse;
}

const REASONS = new Map([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
] as const);

/** Answers a request for an aggregated group. */
export async function respondAggregated(call: AggregatedCall): Promise<void> {
  const { api, group, path, query, user, request, response } = call;
  if (request.method !== 'GET') throw methodNotAllowed();
  const answer = await group.answer({
    path,
    query,
    user,
    mayList: ({ group: of, plural }, namespace) =>
      api.authorizer.authorize({
        user,
        verb: 'list',
        path: '',
        resource: { group: of, version: 'v1', plural, subresource: '', namespace, name: '' },
      }).isAllowed,
  });
  if ('message' in answer) throw new StatusError(answer.code, REASONS.get(answer.code) ?? '', answer.message, {});
  if ('text' in answer) await respondText(response, answer.code, answer.text, 'text/plain; charset=utf-8');
  else await respond(response, { code: answer.code, body: answer.body });
}
