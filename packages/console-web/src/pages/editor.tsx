import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { CodeEditor } from '../editor/code-editor.tsx';
import { ConflictView } from '../editor/conflict-view.tsx';
import { readDraft, writeDraft } from '../editor/drafts.ts';
import { checkText } from '../editor/findings.ts';
import { kubectlCommand } from '../editor/manifest-text.ts';
import { Review } from '../editor/review.tsx';
import { applyOne } from '../editor/server-apply.ts';
import { useDryRun } from '../editor/use-dry-run.ts';
import { type Source, useSource } from '../editor/use-source.ts';
import { pagePath } from '../live/pages.ts';
import { useLive } from '../live/use-live.ts';
import { CopyButton } from '../parts/copy-button.tsx';

/** Edits an object, a copy or a template as YAML, beside what applying it would do. */
export function EditorPage() {
  const search = useSearch();
  const [round, setRound] = useState(0);
  const source = useSource(search, round);
  if (source === undefined) return <h1>Editor</h1>;
  if ('problem' in source)
    return (
      <>
        <h1>Editor</h1>
        <p className="banner" role="alert">
          {source.problem}
        </p>
      </>
    );
  return <Editing key={`${source.key}/${round}`} source={source} onReopen={() => setRound(round + 1)} />;
}

function Editing({ source, onReopen }: { readonly source: Source; readonly onReopen: () => void }) {
  const { key, text: original, opened } = source;
  const live = useLive();
  const [, navigate] = useLocation();
  const [text, setText] = useState(() => readDraft(key) ?? original);
  const [generation, setGeneration] = useState(0);
  const [goTo, setGoTo] = useState<{ readonly offset: number }>();
  const [problem, setProblem] = useState('');
  const [isApplying, setApplying] = useState(false);
  const [isRestored] = useState(() => readDraft(key) !== undefined);
  const current =
    opened === undefined ? undefined : live.objects[opened.kind].get(`${opened.namespace}/${opened.name}`);
  const isDeleted = opened !== undefined && live.loaded.has(opened.kind) && current?.metadata?.uid !== opened.uid;
  const isChanged =
    !isDeleted && opened !== undefined && (current?.metadata?.generation ?? opened.generation) !== opened.generation;
  const uid = isDeleted ? undefined : opened?.uid;
  const dryRun = useDryRun(text, uid);
  const write = (next: string) => {
    setText(next);
    writeDraft(key, next === original ? undefined : next);
  };
  const apply = async () => {
    setApplying(true);
    setProblem('');
    try {
      const { manifests } = checkText(text);
      for (const manifest of manifests) {
        // The viewer saw the present values: what he changed is his. A change by others in between is asked about.
        const answer = await applyOne(manifest, { isDryRun: false, force: true, uid });
        if (answer.kind !== 'applied') {
          setProblem(answer.message);
          return;
        }
      }
      writeDraft(key, undefined);
      const [first] = manifests;
      navigate(pagePath(first?.kind ?? '', first?.metadata?.namespace ?? 'default', first?.metadata?.name ?? ''));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setApplying(false);
    }
  };
  const isClean = text === original && opened !== undefined;
  return (
    <>
      <div className="crumb">
        {opened === undefined ? (
          <Link href="/new">New</Link>
        ) : (
          <Link href={pagePath(opened.kind, opened.namespace, opened.name)}>
            {opened.kind} {opened.namespace}/{opened.name}
          </Link>
        )}{' '}
        / editor
      </div>
      <div className="row">
        <h1>{opened === undefined ? 'New object' : `Edit ${opened.name}`}</h1>
        <span className="row">
          <CopyButton text={kubectlCommand(text)} label="Copy as kubectl" />
          {text === original ? null : (
            <button
              type="button"
              onClick={() => {
                write(original);
                setGeneration(generation + 1);
              }}
            >
              Discard changes
            </button>
          )}
          <button
            type="button"
            className="primary"
            disabled={dryRun.kind !== 'fits' || isApplying || isClean || isChanged}
            onClick={() => void apply()}
          >
            {opened === undefined ? 'Create' : 'Apply'}
          </button>
        </span>
      </div>
      {problem === '' ? null : (
        <p className="banner bad" role="alert">
          {problem}
        </p>
      )}
      {isRestored && text !== original ? (
        <p className="banner" role="status">
          Your text from before is back: it was not applied yet.
        </p>
      ) : null}
      {isDeleted ? (
        <p className="banner" role="status">
          {opened.name} was deleted since you opened it. Applying creates it again.
        </p>
      ) : null}
      {isChanged ? (
        <ConflictView
          opened={opened}
          original={original}
          mine={text}
          onReopen={onReopen}
          onForce={() => void apply()}
        />
      ) : (
        <div className="editor">
          <section className="panel" aria-label="Manifest">
            <CodeEditor text={text} generation={generation} onChange={write} goTo={goTo} />
          </section>
          <Review
            text={text}
            original={opened === undefined ? '' : original}
            dryRun={dryRun}
            isNew={opened === undefined}
            onGoTo={(offset) => setGoTo({ offset })}
          />
        </div>
      )}
    </>
  );
}
