// @ts-check
/** A picture of the clients: how many times the floor each one costs, on a logarithmic scale. */

/** @typedef {import('./rows.mjs').Row} Row */

const [LEFT, WIDTH, LINE, TOP] = [330, 420, 26, 60];
const COLOURS = { official: '#b0563b', tenon: '#2f6f5e' };

/** @param {readonly Row[]} rows */
export function plot(rows) {
  const shown = rows.filter(({ bySubject }) => bySubject.floor !== undefined && bySubject.floor.median > 0);
  const costs = shown.map((row) => ({
    title: row.title.replaceAll('`', ''),
    official: cost(row, 'official'),
    tenon: cost(row, 'tenon'),
  }));
  const most = Math.max(2, ...costs.flatMap(({ official, tenon }) => [official, tenon]));
  const x = (/** @type {number} */ value) =>
    LEFT + (WIDTH * Math.log(Math.max(value, 0.5) / 0.5)) / Math.log(most / 0.5);
  const height = TOP + costs.length * LINE + 20;
  const ticks = [0.5, 1, 2, 5, 10, 20, 50, 100].filter((tick) => tick <= most);
  const grid = ticks.map(
    (tick) =>
      `<line x1="${x(tick).toFixed(1)}" y1="${TOP - 8}" x2="${x(tick).toFixed(1)}" y2="${height - 16}" stroke="${tick === 1 ? '#333' : '#ddd'}"/>` +
      `<text x="${x(tick).toFixed(1)}" y="${TOP - 14}" text-anchor="middle">${tick}×</text>`,
  );
  const lines = costs.map(({ title, official, tenon }, index) => {
    const y = TOP + index * LINE + LINE / 2;
    return (
      `<text x="${LEFT - 12}" y="${y + 4}" text-anchor="end">${title}</text>` +
      `<line x1="${x(tenon).toFixed(1)}" y1="${y}" x2="${x(official).toFixed(1)}" y2="${y}" stroke="#ccc" stroke-width="2"/>` +
      dot(x(official), y, COLOURS.official) +
      dot(x(tenon), y, COLOURS.tenon)
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + WIDTH + 40} ${height}" font-family="sans-serif" font-size="12">
<title>Cost of Tenon and of the official SDK in multiples of the floor</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${LEFT}" y="20">Cost in multiples of the floor, less is better:</text>
${dot(LEFT + 276, 16, COLOURS.tenon)}<text x="${LEFT + 286}" y="20">Tenon</text>
${dot(LEFT + 336, 16, COLOURS.official)}<text x="${LEFT + 346}" y="20">official SDK</text>
${[...grid, ...lines].join('\n')}
</svg>
`;
}

/** @param {Row} row @param {string} subject */
function cost({ bySubject, metric }, subject) {
  const [own, floor] = [bySubject[subject]?.median ?? 1, bySubject.floor?.median ?? 1];
  return metric.unit === '/s' ? floor / own : own / floor;
}

/** @param {number} x @param {number} y @param {string} colour */
function dot(x, y, colour) {
  return `<circle cx="${x.toFixed(1)}" cy="${y}" r="5" fill="${colour}"/>`;
}
