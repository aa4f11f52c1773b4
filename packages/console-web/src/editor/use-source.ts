import { TEMPLATES } from '@manta/api';
import { useEffect, useState } from 'react';
import { type RayKind, rayPath, send } from '../live/api.ts';
import type { Manifest } from './findings.ts';
import { cloneOf, textOf } from './manifest-text.ts';

/** What the editor was opened with. */
export interface Source {
  /** Under which drafts are kept. */
  readonly key: string;
  readonly text: string;
  /** The object that is edited; absent for a new one. */
  readonly opened?: {
    readonly kind: RayKind;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
  };
}

export type LoadedSource = Source | { readonly problem: string } | undefined;

interface Answer extends Manifest {
  readonly metadata?: {
    readonly uid?: string;
    readonly generation?: number;
    readonly name?: string;
    readonly namespace?: string;
  };
}

const EMPTY = 'apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: \nspec:\n';

/** Reads what the URL asks for: an object, a copy of one, or a template. `round` reads again. */
export function useSource(search: string, round: number): LoadedSource {
  const [source, setSource] = useState<LoadedSource>();
  useEffect(() => {
    let isCurrent = true;
    setSource(undefined);
    void load(new URLSearchParams(search))
      .catch((error: unknown) => ({ problem: error instanceof Error ? error.message : String(error) }))
      .then((found) => (isCurrent ? setSource(found) : undefined));
    return () => {
      isCurrent = false;
    };
  }, [search, round]);
  return source;
}

async function load(params: URLSearchParams): Promise<Source> {
  const template = TEMPLATES.find(({ name }) => name === params.get('template'));
  if (template !== undefined) return { key: `template/${template.name}`, text: template.render(`my-${template.name}`) };
  const kind = kindIn(params.get('kind'));
  const [namespace, name] = [params.get('namespace') ?? '', params.get('name') ?? ''];
  if (kind === undefined || name === '') return { key: 'new', text: EMPTY };
  const answer = await send(rayPath(kind, namespace, name));
  const object: Answer = { ...(await answer.json()), apiVersion: 'ray.io/v1', kind };
  const key = `${kind}/${namespace}/${name}`;
  if (params.has('clone')) return { key: `clone/${key}`, text: textOf(cloneOf(object)) };
  const { uid = '', generation = 0 } = object.metadata ?? {};
  return { key, text: textOf(object), opened: { kind, namespace, name, uid, generation } };
}

function kindIn(text: string | null): RayKind | undefined {
  return text === 'RayJob' || text === 'RayCluster' || text === 'RayService' || text === 'RayCronJob'
    ? text
    : undefined;
}
