import { canDraw, createInstallView } from './install-view.ts';
import { provideRay, type RayHome } from './provide-ray.ts';

/** Where it is shown: a terminal, a file or a pipe. */
type Output = Pick<NodeJS.WriteStream, 'write' | 'columns' | 'isTTY'>;

const NARROW = 80;

/** Provides Ray, and shows how far its installation is where that is needed. `line` writes a line that stays; plainly unless told. */
export async function rayWithView(
  output: Output,
  signal: AbortSignal,
  line: (text: string) => void = (text) => void output.write(`${text}\n`),
): Promise<RayHome> {
  const view = createInstallView({
    line,
    draw: canDraw(output.isTTY, process.env) ? (text) => void output.write(text) : undefined,
    // Some terminals do not know how wide they are.
    columns: () => (output.columns > 0 ? output.columns : NARROW),
  });
  try {
    return await provideRay({ signal, say: (text) => view.say(text), onProgress: (each) => view.progress(each) });
  } finally {
    view.close();
  }
}
