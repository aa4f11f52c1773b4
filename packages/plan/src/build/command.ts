import { Annotation, type Container } from '@manta/api';
import type { BuildContext } from './context.ts';
import { bash } from './shell.ts';

const RAISE_OPEN_FILES = 'ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; ';

/**
 * Appends the generated `ray start` to the user's command. A command that already starts Ray, or a pod with the overwrite annotation, keeps
 * the user's command unchanged.
 */
export function withRayCommand(
  container: Container,
  rayStart: string,
  annotations: Readonly<Record<string, string>> | undefined,
  context: BuildContext,
): Container {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  if (annotations?.[Annotation.OverwriteContainerCommand]?.toLowerCase() === 'true' || startsRay(words))
    return container;
  const before = words.map((word) => ` ${word} `).join('');
  const generated = RAISE_OPEN_FILES + rayStart;
  return { ...container, command: bash(context), args: [before === '' ? generated : `${before} && ${generated}`] };
}

/** Whether the user's command starts Ray, as one shell string or as separate arguments. */
function startsRay(words: readonly string[]): boolean {
  return words.some(
    (word, i) => word.includes('ray start') || (/^(?:.*\/)?ray$/.test(word) && words[i + 1] === 'start'),
  );
}
