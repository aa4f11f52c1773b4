/** One command of a documentation page and the output that the page promises. */
export interface Step {
  readonly command: string;
  readonly expected: string;
}

/** The steps of all `console` blocks of a page: a line that starts with `$ ` is a command, the lines below are its output. */
export function stepsIn(page: string): readonly Step[] {
  return [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.split('\n');
        return { command, expected: output.join('\n').trim() };
      }),
  );
}

/** Whether output is as promised: `…` stands for any text, also over several lines; runs of white space are equal. */
export function matches(output: string, expected: string): boolean {
  const pattern = expected
    .split('…')
    .map((part) => part.split(/\s+/).map(escape).join(String.raw`\s+`))
    .join(String.raw`[\s\S]*`);
  return new RegExp(String.raw`^\s*${pattern}\s*$`).test(output);
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
