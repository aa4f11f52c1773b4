import { type Mismatch, walk } from './walk.ts';

const EDITS = 8;

/** Plays walks of random edits from a seed on, until so many edits were made; returns the first edit whose preview was wrong. */
export async function playEdits(
  from: number,
  edits: number,
  say: (text: string) => void,
): Promise<readonly Mismatch[]> {
  const wrong: Mismatch[] = [];
  for (let seed = from, done = 0; done < edits; seed += 1) {
    const { edits: played, mismatch } = await walk(seed, EDITS);
    done += played;
    if (mismatch === undefined) continue;
    wrong.push(mismatch);
    say(JSON.stringify(mismatch, null, 2));
  }
  return wrong;
}
