import { useEffect, useState } from 'react';
import type { RayKind } from '../live/api.ts';
import { send } from '../live/api.ts';

const RESOURCES: Readonly<Record<RayKind, string>> = {
  RayJob: 'rayjobs',
  RayCluster: 'rayclusters',
  RayService: 'rayservices',
  RayCronJob: 'raycronjobs',
};
const VERBS = ['create', 'patch', 'delete'] as const;
const WORDS: Readonly<Record<(typeof VERBS)[number], string>> = { create: 'Create', patch: 'Change', delete: 'Delete' };

/** What the viewer may change in all namespaces, as the API server answers it. */
export function Permissions({ titles }: { readonly titles: readonly (readonly [RayKind, string])[] }) {
  const [allowed, setAllowed] = useState<ReadonlyMap<string, boolean>>(new Map());
  useEffect(() => {
    let isCurrent = true;
    const questions = (['RayJob', 'RayCluster', 'RayService', 'RayCronJob'] as const).flatMap((kind) =>
      VERBS.map((verb) => ({ kind, verb })),
    );
    void Promise.all(
      questions.map(
        async ({ kind, verb }) => [`${kind}/${verb}`, await mayI(RESOURCES[kind], verb).catch(() => false)] as const,
      ),
    ).then((answers) => (isCurrent ? setAllowed(new Map(answers)) : undefined));
    return () => {
      isCurrent = false;
    };
  }, []);
  return (
    <section className="panel">
      <header>
        <h2>What you may change</h2>
        <span className="dim">in all namespaces; single namespaces may allow more</span>
      </header>
      <table>
        <thead>
          <tr>
            <th>Objects</th>
            {VERBS.map((verb) => (
              <th key={verb}>{WORDS[verb]}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {titles.map(([kind, title]) => (
            <tr key={kind}>
              <td>{title}</td>
              {VERBS.map((verb) => {
                const answer = allowed.get(`${kind}/${verb}`);
                return (
                  <td key={verb}>
                    {answer === undefined ? (
                      '…'
                    ) : answer ? (
                      <span className="state ok">✓ Yes</span>
                    ) : (
                      <span className="state">– No</span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

async function mayI(resource: string, verb: string): Promise<boolean> {
  const answer = await send('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group: 'ray.io', resource, verb } },
    }),
  });
  const { status }: { readonly status?: { readonly allowed?: boolean } } = await answer.json();
  return status?.allowed === true;
}
