import type { Labels } from './instruments.ts';

/** One line (or, for a histogram, one group of lines) of a metric: its label values in the order of the family's names. */
export interface Series<V> {
  readonly values: readonly string[];
  readonly data: V;
  /** Its labels as text, made at the first scrape: most series live through many. */
  labelText?: string;
}

type Node<V> = Map<string, Node<V> | Series<V>>;

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * The series of one metric, found by walking one small map per label: a lookup makes no string. Label names are learned from use; a name
 * that turns up late is added with the empty value everywhere, which Prometheus treats as absent.
 */
export class SeriesTable<V> {
  #names: readonly string[] = [];
  #root: Node<V> = new Map();
  /** The series of the empty label set, which the tree cannot hold while there are no names. */
  #bare: Series<V> | undefined;
  #all: Series<V>[] = [];
  #isSorted = true;
  readonly #reserved: string;
  readonly #create: () => V;

  /** `reserved` is a label name that callers may not use (`le` in a histogram), or empty. */
  constructor(reserved: string, create: () => V) {
    this.#reserved = reserved;
    this.#create = create;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** The data of these labels, made on first use. */
  get(labels: Labels): V {
    for (const name in labels) if (!this.#names.includes(name)) this.#addName(name);
    const last = this.#names.length - 1;
    if (last < 0) return (this.#bare ??= this.#add([])).data;
    let node = this.#root;
    for (let depth = 0; depth < last; depth++) node = this.#branch(node, labels[this.#names[depth] ?? ''] ?? '');
    const value = labels[this.#names[last] ?? ''] ?? '';
    const found = node.get(value);
    if (found !== undefined && !(found instanceof Map)) return found.data;
    const series = this.#add(this.#names.map((name) => labels[name] ?? ''));
    node.set(value, series);
    return series.data;
  }

  /** Removes every series whose labels include all of these. */
  remove(labels: Labels): void {
    const wanted = Object.entries(labels).map(([name, value]) => [this.#names.indexOf(name), value] as const);
    const isHit = (series: Series<V>) =>
      wanted.every(([at, value]) => (at < 0 ? value === '' : series.values[at] === value));
    const kept = this.#all.filter((series) => !isHit(series));
    if (kept.length !== this.#all.length) this.#rebuild(kept);
  }

  /** All series, sorted by label values; the array is ours, read it at once. */
  sorted(): readonly Series<V>[] {
    if (!this.#isSorted) this.#all.sort((a, b) => compareValues(a.values, b.values));
    this.#isSorted = true;
    return this.#all;
  }

  #branch(node: Node<V>, value: string): Node<V> {
    const found = node.get(value);
    if (found instanceof Map) return found;
    const made: Node<V> = new Map();
    node.set(value, made);
    return made;
  }

  #add(values: readonly string[]): Series<V> {
    const series: Series<V> = { values, data: this.#create() };
    this.#all.push(series);
    this.#isSorted = false;
    return series;
  }

  #addName(name: string): void {
    if (!LABEL_NAME.test(name) || name.startsWith('__'))
      throw new TypeError(`"${name}" is not a Prometheus label name`);
    if (name === this.#reserved) throw new TypeError(`the label "${name}" is reserved: histograms write it themselves`);
    const before = this.#names;
    this.#names = [...before, name].toSorted();
    const valueOf = (series: Series<V>, wanted: string) => series.values[before.indexOf(wanted)] ?? '';
    this.#rebuild(
      this.#all.map((series) => ({ values: this.#names.map((wanted) => valueOf(series, wanted)), data: series.data })),
    );
  }

  #rebuild(all: Series<V>[]): void {
    this.#all = all;
    this.#isSorted = false;
    this.#root = new Map();
    this.#bare = this.#names.length === 0 ? all[0] : undefined;
    for (const series of all) {
      let node = this.#root;
      for (const value of series.values.slice(0, -1)) node = this.#branch(node, value);
      const last = series.values.at(-1);
      if (last !== undefined) node.set(last, series);
    }
  }
}

function compareValues(a: readonly string[], b: readonly string[]): number {
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? '';
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
