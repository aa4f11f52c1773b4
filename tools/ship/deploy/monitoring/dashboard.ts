/** A graph, a number, a share or a list, of one or more queries. */
export interface Panel {
  readonly title: string;
  readonly kind?: 'timeseries' | 'stat' | 'table' | 'piechart';
  readonly unit?: string;
  /** Query to legend. */
  readonly queries: Readonly<Record<string, string>>;
}

/** Panels under one heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** As Grafana asks Prometheus: `label_values(metric, label)`. */
  readonly query: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly tags: readonly string[];
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

const COLUMNS = 24;
const WIDTH = 8;
const HEIGHT = 8;
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The JSON that Grafana imports. */
export function dashboardJson({ uid, title, tags, variables, rows }: Dashboard): string {
  const panels: object[] = [];
  let y = 0;
  for (const row of rows) {
    panels.push({ type: 'row', title: row.title, id: panels.length + 1, gridPos: { x: 0, y, w: COLUMNS, h: 1 } });
    row.panels.forEach((panel, i) => {
      const place = { x: (i * WIDTH) % COLUMNS, y: y + 1 + Math.floor((i * WIDTH) / COLUMNS) * HEIGHT };
      panels.push(panelJson(panel, panels.length + 1, { ...place, w: WIDTH, h: HEIGHT }));
    });
    y += 1 + Math.ceil((row.panels.length * WIDTH) / COLUMNS) * HEIGHT;
  }
  const body = {
    uid,
    title,
    tags,
    schemaVersion: 39,
    editable: true,
    refresh: '10s',
    time: { from: 'now-30m', to: 'now' },
    templating: { list: [datasource, ...variables.map(variableJson)] },
    panels,
  };
  return `${JSON.stringify(body, undefined, 2)}\n`;
}

const datasource = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };

function variableJson({ name, label, query }: Variable): object {
  return {
    name,
    label,
    query: { query, refId: name },
    type: 'query',
    datasource: SOURCE,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { selected: true, text: 'All', value: '$__all' },
  };
}

function panelJson(
  { title, kind = 'timeseries', unit = 'short', queries }: Panel,
  id: number,
  gridPos: object,
): object {
  const isNow = kind !== 'timeseries';
  const targets = Object.entries(queries).map(([expr, legendFormat], i) => ({
    refId: String.fromCodePoint(65 + i),
    datasource: SOURCE,
    expr,
    legendFormat,
    ...(isNow ? { instant: true, range: false } : {}),
    ...(kind === 'table' ? { format: 'table' } : {}),
  }));
  return {
    id,
    title,
    type: kind,
    gridPos,
    datasource: SOURCE,
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets,
  };
}
