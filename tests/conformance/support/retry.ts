import type { ApiAnswer } from '../../support/api-request.ts';
import { eventually } from './eventually.ts';
import type { KubeObject, Target } from './target.ts';

/** Reads, changes and puts an object until nobody writes in between. */
export function changeObject(
  t: Target,
  path: string,
  change: (object: KubeObject) => object,
): Promise<{ readonly before: KubeObject; readonly answer: ApiAnswer }> {
  return eventually(`a chance to write ${path}`, async () => {
    const before = await t.must('GET', path);
    const answer = await t.request('PUT', path, change(before));
    return answer.status === 409 ? undefined : { before, answer };
  });
}

/** Waits until an object is gone. */
export async function gone(t: Target, path: string): Promise<void> {
  await eventually(`the end of ${path}`, async () =>
    (await t.request('GET', path)).status === 404 ? true : undefined,
  );
}
