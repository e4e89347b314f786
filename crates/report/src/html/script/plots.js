// What a search cost, and how it went.

const plot = (points, caption, labels) => {
  const [wide, high, left, bottom] = [300, 140, 8, 22];
  const most = { x: Math.max(...points.map((p) => p[0])), y: Math.max(...points.map((p) => p[1])) };
  if (points.length < 3 || most.x <= 0 || most.y <= 0) return null;
  const x = (value) => left + ((wide - 2 * left) * value) / most.x;
  const y = (value) => high - bottom - ((high - bottom - 22) * value) / most.y;
  const line = points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(' L');
  return el(
    'figure',
    null,
    svg(
      'svg',
      { width: wide, height: high, viewBox: `0 0 ${wide} ${high}`, role: 'img', 'aria-label': caption },
      svg('path', { class: 'area', d: `M${x(points[0][0])},${y(0)} L${line} L${x(most.x)},${y(0)} z` }),
      svg('path', { class: 'plot', d: `M${line}` }),
      svg('line', { class: 'axis', x1: left, x2: wide - left, y1: y(0), y2: y(0) }),
      svg('text', { class: 'quiet', x: left, y: high - 6 }, '0'),
      svg('text', { class: 'quiet', x: wide - left, y: high - 6, 'text-anchor': 'end' }, labels.x(most.x)),
      svg('text', { class: 'quiet', x: wide - left, y: 14, 'text-anchor': 'end' }, labels.y(most.y)),
    ),
    el('figcaption', null, caption),
  );
};

// Beyond what a number holds exactly, its digits would say more than is known.
const number = (value) =>
  value > Number.MAX_SAFE_INTEGER ? `about ${value.toExponential(3)}` : value.toLocaleString('en');

const statistics = (property) => {
  const facts = [
    ['engine', property.engine],
    ['states of the model', number(property.states)],
    ['transitions of the model', number(property.transitions)],
    property.product_states === null ? null : ['states of the product', number(property.product_states)],
    property.product_transitions === null ? null : ['transitions of the product', number(property.product_transitions)],
    ...property.details.map(([name, value]) => [name, number(value)]),
    ['time', seconds(property.seconds)],
    ['memory at the peak', bytes(property.memory)],
  ].filter(Boolean);
  const samples = property.samples.slice();
  const last = samples[samples.length - 1];
  // Where the search ended is known too.
  const product = property.product_states !== null;
  const total = product ? property.product_states : property.states;
  if (last && total >= last[1] && property.seconds >= last[0]) {
    samples.push([property.seconds, total, last[2]]);
  }
  // Only breadth-first searches go deeper all the time.
  const deep = property.engine === 'breadth-first';
  const plots = [
    plot(samples.map((s) => [s[0], s[1]]), product ? 'States of the product over time.' : 'States over time.', { x: seconds, y: (v) => count(v, 'state') }),
    deep ? plot(samples.map((s) => [s[2], s[1]]), 'States over depth.', { x: (v) => `depth ${number(v)}`, y: (v) => count(v, 'state') }) : null,
  ].filter(Boolean);
  return el(
    'section',
    { class: 'card', 'aria-label': 'Statistics' },
    el('h3', null, 'Statistics'),
    el('dl', { class: 'facts' }, ...facts.map(([name, value]) => [el('dt', null, name), el('dd', null, value)])),
    plots.length ? el('div', { class: 'plots' }, ...plots) : null,
  );
};
