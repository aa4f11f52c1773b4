import type { StoredObject } from '../object/stored-object.ts';
import type { Api } from '../api.ts';
import { methodNotAllowed } from '../status/errors.ts';
import type { Scope } from './request.ts';
import { answerReview } from '../reviews/answer-review.ts';
import { bindPod } from '../subresources/binding.ts';
import { evictPod } from '../subresources/eviction.ts';
import { writeScale } from '../subresources/scale.ts';
import { requestToken } from '../subresources/token.ts';
import { createObject } from '../verbs/create.ts';
import { type PatchParams, type PatchType, patchObject } from '../verbs/patch.ts';
import { updateObject } from '../verbs/update.ts';

/** A write of an object or of a subresource. */
export type Write =
  | { readonly verb: 'create' | 'update'; readonly body: unknown }
  | { readonly verb: 'patch'; readonly type: PatchType; readonly body: unknown };

/** What a write answers: an object, or a Status where a subresource has nothing else to say. */
export interface Written {
  readonly object: StoredObject;
  readonly code: number;
}

/** Carries out POST, PUT and PATCH. */
export async function handleWrite(api: Api, scope: Scope, write: Write, params: PatchParams): Promise<Written> {
  if (write.verb === 'create') return await post(api, scope, write.body, params);
  if (scope.subresource === 'scale') return await writeScale(api, scope, write, params);
  const { object, isCreated } =
    write.verb === 'patch'
      ? await patchObject(api, scope, write.type, write.body, params)
      : await updateObject(api, scope, write.body, params);
  return { object, code: isCreated ? 201 : 200 };
}

async function post(api: Api, scope: Scope, body: unknown, params: PatchParams): Promise<Written> {
  if (scope.resource.isVirtual) return { object: await answerReview(api, scope, body, params), code: 201 };
  switch (scope.subresource) {
    case '':
      return { object: await createObject(api, scope, body, params), code: 201 };
    case 'eviction':
      return { object: await evictPod(api, scope, body, params), code: 201 };
    case 'binding':
      return { object: await bindPod(api, scope, body, params), code: 201 };
    case 'token':
      return { object: requestToken(api, scope, body), code: 201 };
    default:
      throw methodNotAllowed();
  }
}
