import { useEffect, useState } from 'react';
import { applyOne, type FieldConflict } from './server-apply.ts';
import { checkText, type Manifest } from './findings.ts';

/** What the API server would do with the text now. */
export type DryRun =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'refused'; readonly message: string }
  /** The objects as they would be stored, and the fields that would be taken over from other managers. */
  | { readonly kind: 'fits'; readonly objects: readonly Manifest[]; readonly conflicts: readonly FieldConflict[] };

const QUIET_MS = 500;

/** Asks the API server for a dry run of server-side apply whenever the text has not changed for a moment and has no error. */
export function useDryRun(text: string, uid: string | undefined): DryRun {
  const [answer, setAnswer] = useState<DryRun>({ kind: 'waiting' });
  useEffect(() => {
    let isCurrent = true;
    setAnswer({ kind: 'waiting' });
    const timer = setTimeout(() => {
      const { findings, manifests } = checkText(text);
      if (findings.some(({ severity }) => severity === 'error') || manifests.length === 0) return;
      void dryRun(manifests, uid)
        .catch((error: unknown) => ({
          kind: 'refused' as const,
          message: error instanceof Error ? error.message : String(error),
        }))
        .then((found) => (isCurrent ? setAnswer(found) : undefined));
    }, QUIET_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, uid]);
  return answer;
}

async function dryRun(manifests: readonly Manifest[], uid: string | undefined): Promise<DryRun> {
  const objects: Manifest[] = [];
  const conflicts: FieldConflict[] = [];
  for (const manifest of manifests) {
    const first = await applyOne(manifest, { isDryRun: true, force: false, uid });
    if (first.kind === 'conflict') conflicts.push(...first.conflicts);
    const answer = first.kind === 'conflict' ? await applyOne(manifest, { isDryRun: true, force: true, uid }) : first;
    if (answer.kind !== 'applied') return { kind: 'refused', message: answer.message };
    objects.push(answer.object);
  }
  return { kind: 'fits', objects, conflicts };
}
