import { readFile, stat } from 'node:fs/promises';

/** The packages that a word of `--pip` names: those of a requirements file, else the word itself. */
export async function readRequirements(word: string): Promise<readonly string[]> {
  const isFile = await stat(word).then(
    (info) => info.isFile(),
    () => false,
  );
  return isFile ? requirementsOf(await readFile(word, 'utf8')) : [word];
}

/** The lines of a requirements file, without comments. */
export function requirementsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
