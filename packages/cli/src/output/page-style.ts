import type { Invocation } from '../invocation.ts';
import { paintFor } from '../live/colors.ts';
import type { PageStyle } from './why-lines.ts';

/** Without a terminal lines are not broken: a program or a file reads them. */
const UNBROKEN = 10_000;
const LEAST_COLUMNS = 40;

/** Width and colours of standard output. */
export function pageStyle({ world, flags }: Invocation): PageStyle {
  const { isTTY, columns = 80 } = world.stdout;
  return {
    columns: isTTY === true ? Math.max(LEAST_COLUMNS, columns) : UNBROKEN,
    paint: paintFor(world, world.stdout, flags),
  };
}
