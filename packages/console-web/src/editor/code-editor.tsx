import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { completeYaml, explainOnHover } from './completion.ts';
import { checkText } from './findings.ts';

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '12.5px/19px var(--mono)' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--sunk)',
    color: 'var(--faint)',
    border: '0',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--run-bg) 45%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--run-bg)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--warn-bg)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--accent-ink)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'var(--accent-ink)' },
  '.cm-completionDetail': { color: 'var(--dim)' },
  '.cm-completionInfo, .cm-explain': { font: '12px/18px var(--font)', padding: '8px 12px', maxWidth: '360px' },
  '.cm-explain p': { margin: '4px 0 0' },
  '.cm-diagnostic': { font: '12px/18px var(--font)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--ok-bg) !important' },
  '.cm-deletedChunk': { backgroundColor: 'var(--bad-bg) !important' },
  '.cm-changedText': { background: 'color-mix(in srgb, var(--ok) 25%, transparent) !important' },
  '.cm-deletedText, .cm-deletedChunk .cm-deletedText': {
    background: 'color-mix(in srgb, var(--bad) 25%, transparent) !important',
  },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
  '.cm-collapsedLines': { background: 'var(--sunk)', color: 'var(--dim)' },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--run)' },
  { tag: [tags.string, tags.content], color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--faint)' },
  { tag: [tags.meta, tags.punctuation, tags.separator], color: 'var(--dim)' },
]);

const BASE: Extension = [yaml(), lineNumbers(), syntaxHighlighting(colours), theme, indentUnit.of('  ')];

const WRITING: Extension = [
  BASE,
  history(),
  drawSelection(),
  foldGutter(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  autocompletion({ override: [completeYaml], icons: false }),
  explainOnHover,
  lintGutter(),
  linter(
    ({ state }) => {
      const text = state.doc.toString();
      const within = (offset: number) => Math.min(offset, text.length);
      return checkText(text).findings.map((each) => ({ ...each, from: within(each.from), to: within(each.to) }));
    },
    { delay: 300 },
  ),
  keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
];

/** Its styles are adopted by a shadow root: the page's policy forbids style elements that scripts add. */
function openRoot(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  root.replaceChildren();
  return root;
}

export interface CodeEditorProps {
  /** The text at the start; a change of `generation` puts it in again. */
  readonly text: string;
  readonly generation: number;
  readonly onChange: (text: string) => void;
  /** A place to jump to; a new object jumps again. */
  readonly goTo?: { readonly offset: number } | undefined;
}

/** YAML with completion, hover and errors from the schemas of the Ray kinds. */
export function CodeEditor({ text, generation, onChange, goTo }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ text, onChange });
  latest.current = { text, onChange };
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = openRoot(host.current);
    const editor = new EditorView({
      root,
      parent: root,
      doc: latest.current.text,
      extensions: [
        WRITING,
        EditorView.contentAttributes.of({ 'aria-label': 'Manifest' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.doc.toString());
        }),
      ],
    });
    // Without a mouse, a long text is scrolled with the keys of the scroller.
    editor.scrollDOM.tabIndex = 0;
    view.current = editor;
    return () => editor.destroy();
  }, [generation]);
  useEffect(() => {
    const editor = view.current;
    if (goTo === undefined || editor === null) return;
    const anchor = Math.min(goTo.offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  }, [goTo]);
  return <div className="code" ref={host} />;
}

/** What differs between two texts, with everything that is equal folded away. */
export function DiffView({
  before,
  after,
  label,
}: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = openRoot(host.current);
    const editor = new EditorView({
      root,
      parent: root,
      doc: after,
      extensions: [
        BASE,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          gutter: false,
          collapseUnchanged: { margin: 2, minSize: 4 },
        }),
      ],
    });
    editor.scrollDOM.tabIndex = 0;
    return () => editor.destroy();
  }, [before, after, label]);
  return <div className="code diff" ref={host} />;
}
