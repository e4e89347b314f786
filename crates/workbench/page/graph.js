// The state graph as a picture: components are marked, those with fair runs are coloured, and a state can be
// looked at and walked on from.

import { append, code, count, cut, el, listed, svg } from './report.js';
import { bench, on, post, say, tell } from './calls.js';
import { asked, current } from './properties.js';

const RADIUS = 13;
const STEP = { x: 64, y: 46 };

const picture = el('div', { class: 'picture graph', tabindex: '0', role: 'group', 'aria-label': 'Picture of the state graph, scrollable' });
const legend = el('div');
const aside = el('section', { class: 'card', 'aria-label': 'The chosen state', id: 'state' });
const words = el('p', { id: 'graph-words' });
const shown = { graph: null, node: 0, nodes: [], edges: [] };

export const build = () => {
  append(document.getElementById('panel-graph'), [
    words,
    el('div', { class: 'board walk' }, el('section', { class: 'card' }, picture), el('div', { class: 'stack' }, legend, aside)),
  ]);
  on('graph-shown', async () => {
    await load();
    tell('drawn');
  });
  const again = () => !document.getElementById('panel-graph').hidden && bench.version && load();
  on('fairness', again);
  on('read', again);
};

let turn = 0;
const load = async () => {
  if (!bench.version) return;
  turn += 1;
  const own = turn;
  words.textContent = 'Exploring\u2026';
  const row = current();
  const graph = await post('graph', { version: bench.version, ...asked(row && row.fair ? row : null) });
  if (own !== turn) return;
  const inside = picture.contains(document.activeElement) && document.activeElement !== picture;
  for (const place of [picture, legend, aside]) place.replaceChildren();
  if (graph.error || graph.too_large) {
    words.textContent = graph.error || `No picture: ${graph.too_large}. Up to ${graph.most} states are drawn; walk instead.`;
    say(words.textContent);
    return;
  }
  shown.graph = graph;
  draw(graph);
  // Whoever was at a state stays there.
  if (inside) shown.nodes[shown.node].group.focus();
};

// Components with a cycle have letters: A to Z, then AA and so on.
const letters = (number) => (number < 26 ? String.fromCharCode(65 + number) : letters(Math.floor(number / 26) - 1) + letters(number % 26));

const draw = (graph) => {
  const names = new Map();
  graph.components.map((c, i) => [c, i]).filter(([c]) => c.cyclic).forEach(([, i]) => names.set(i, letters(names.size)));
  shown.names = names;
  const fair = [...names.keys()].filter((i) => graph.components[i].fair);
  const assumed = graph.assumed.length ? ['under ', ...listed(graph.assumed, code)] : ['without any fairness'];
  words.replaceChildren();
  append(words, [`${count(graph.nodes.length, 'state')}, ${count(graph.edges.length, 'arrow')}, ${count(names.size, 'component')} with cycles, ${names.size === 1 ? (fair.length ? 'with fair runs' : 'without fair runs') : `${fair.length} of them with fair runs`}, `, ...assumed, '.']);
  say(words.textContent);
  const places = graph.nodes.map((node) => node.place);
  const reach = Math.max(0, ...places.map((p) => (p ? Math.abs(p[1]) : 0)));
  const layers = Math.max(0, ...places.map((p) => (p ? p[0] : 0)));
  const middle = 40 + reach * STEP.y;
  const at = (i) => ({ x: 40 + places[i][0] * STEP.x, y: middle + places[i][1] * STEP.y });
  const wide = 80 + layers * STEP.x;
  const high = 80 + 2 * reach * STEP.y;
  shown.edges = graph.edges.map(([a, b, steps]) => {
    const same = graph.nodes[a].component === graph.nodes[b].component && names.has(graph.nodes[a].component);
    return arrow(at(a), at(b), a === b, same, steps, graph.edges.some(([c, d]) => c === b && d === a));
  });
  shown.nodes = graph.nodes.map((node, i) => dot(node, i, at(i)));
  const starts = graph.initial.map((i) => {
    const p = at(i);
    return svg('path', { class: 'edge', d: `M${p.x - RADIUS - 20},${p.y} h14` });
  });
  const drawing = svg('svg', { width: wide, height: high, role: 'group', 'aria-label': 'States; arrow keys go from one to the next' }, ...starts, ...shown.edges.map((e) => e), ...shown.nodes.map((n) => n.group));
  drawing.addEventListener('keydown', keys);
  picture.replaceChildren(drawing);
  // Arrows that go far are bent beyond the states.
  const box = drawing.getBBox();
  const [left, top] = [Math.min(0, box.x - 8), Math.min(0, box.y - 8)];
  const [right, bottom] = [Math.max(wide, box.x + box.width + 8), Math.max(high, box.y + box.height + 8)];
  const size = { width: right - left, height: bottom - top, viewBox: `${left} ${top} ${right - left} ${bottom - top}` };
  for (const [name, value] of Object.entries(size)) drawing.setAttribute(name, value);
  draw_legend(graph, names);
  choose(Math.min(shown.node, graph.nodes.length - 1), true);
};

const tip = (x, y, angle) => svg('path', { class: 'edge-tip', d: 'M0,0 l-7,-3.5 v7 z', transform: `translate(${x},${y}) rotate(${(angle * 180) / Math.PI})` });

const arrow = (a, b, loop, same, steps, back) => {
  const title = svg('title', null, steps.join('\n'));
  const kind = `edge${same ? ' inside' : ''}`;
  if (loop) {
    return svg('g', null, svg('path', { class: kind, d: `M${a.x - 6},${a.y - RADIUS} c-10,-18 22,-18 12,0` }, title), tip(a.x + 6, a.y - RADIUS, 1.9));
  }
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy);
  const bow = (back ? 9 : 0) + (Math.abs(dx) > STEP.x * 1.5 || dx < 0 ? length / 9 : 0) + (Math.abs(dx) < 1 && length > STEP.y * 1.5 ? 16 : 0);
  const middle = { x: (a.x + b.x) / 2 + (dy / length) * bow * 2, y: (a.y + b.y) / 2 - (dx / length) * bow * 2 };
  const towards = (from, distance) => {
    const d = Math.hypot(middle.x - from.x, middle.y - from.y);
    return { x: from.x + ((middle.x - from.x) * distance) / d, y: from.y + ((middle.y - from.y) * distance) / d };
  };
  const [start, end, point] = [towards(a, RADIUS), towards(b, RADIUS + 6), towards(b, RADIUS)];
  return svg(
    'g',
    null,
    svg('path', { class: kind, d: `M${start.x},${start.y} Q${middle.x},${middle.y} ${end.x},${end.y}` }, title),
    tip(point.x, point.y, Math.atan2(b.y - middle.y, b.x - middle.x)),
  );
};

const called = (i) => {
  const { graph, names } = shown;
  const node = graph.nodes[i];
  const part = names.has(node.component) ? `, component ${names.get(node.component)}${graph.components[node.component].fair ? ' with fair runs' : ' without fair runs'}` : '';
  return `State ${i}${graph.initial.includes(i) ? ', initial' : ''}${part}${node.dead ? ', no step leads on' : ''}`;
};

const dot = (node, i, at) => {
  const { graph, names } = shown;
  const part = graph.components[node.component];
  const kind = part.cyclic ? (part.fair ? ' fair' : ' cyclic') : '';
  const circle = svg('circle', { class: `state${kind}${node.dead ? ' dead' : ''}`, cx: at.x, cy: at.y, r: RADIUS });
  const letter = names.has(node.component) ? svg('text', { class: 'part', x: at.x + RADIUS + 1, y: at.y - RADIUS + 4 }, names.get(node.component)) : null;
  const group = svg(
    'g',
    { role: 'button', tabindex: '-1', 'aria-label': called(i), class: 'node', click: () => choose(i), focus: () => i !== shown.node && choose(i) },
    circle,
    svg('text', { x: at.x, y: at.y + 4, 'text-anchor': 'middle', class: 'small' }, String(i)),
    letter,
    svg('title', null, called(i)),
  );
  return { group, circle, kind: circle.getAttribute('class') };
};

const keys = (event) => {
  const last = shown.nodes.length - 1;
  const targets = { ArrowRight: shown.node + 1, ArrowDown: shown.node + 1, ArrowLeft: shown.node - 1, ArrowUp: shown.node - 1, Home: 0, End: last };
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    tell('walk', { path: shown.graph.nodes[shown.node].path, row: current() });
    return;
  }
  const target = targets[event.key];
  if (target === undefined) return;
  event.preventDefault();
  choose(Math.max(0, Math.min(target, last)));
  shown.nodes[shown.node].group.focus();
};

const choose = (i, quietly) => {
  const { graph, nodes } = shown;
  nodes.forEach((node, n) => {
    node.group.setAttribute('tabindex', n === i ? '0' : '-1');
    node.circle.setAttribute('class', `${node.kind}${n === i ? ' now' : ''}`);
  });
  shown.node = i;
  const steps = graph.edges.filter(([a]) => a === i);
  aside.replaceChildren(
    el('h3', null, called(i)),
    el('p', null, el('button', { type: 'button', class: 'tool', id: 'walk-here', click: () => tell('walk', { path: graph.nodes[i].path, row: current() }) }, 'Walk on from here')),
    el(
      'div',
      { class: 'vars', tabindex: '0', role: 'group', 'aria-label': 'Variables of the state' },
      el('table', null, el('thead', null, el('tr', null, ...['variable', 'value'].map((name) => el('th', { scope: 'col' }, name)))), el('tbody', null, ...graph.states[i].map(([name, value]) => el('tr', null, el('td', null, name), el('td', null, cut(value, 120)))))),
    ),
    el('h4', null, 'Steps'),
    steps.length
      ? el('ul', { class: 'plain' }, ...steps.flatMap(([, b, names]) => names.map((name) => el('li', null, code(cut(name, 60)), ' \u2192 ', el('button', { type: 'button', class: 'link', click: () => choose(b) }, `state ${b}`)))))
      : el('p', { class: 'quiet' }, 'No step leads on.'),
  );
  if (!quietly) say(called(i));
};

const draw_legend = (graph, names) => {
  const rows = [...names].slice(0, 60).map(([i, letter]) => {
    const part = graph.components[i];
    const members = graph.nodes.map((node, n) => [node, n]).filter(([node]) => node.component === i);
    return el(
      'tr',
      null,
      el('td', null, el('span', { class: `swatch ${part.fair ? 'fair' : 'cyclic'}`, 'aria-hidden': 'true' }), ' ', letter),
      el('td', null, count(part.size, 'state')),
      el('td', null, part.fair ? 'has fair runs' : 'no fair run stays'),
      el('td', null, el('button', { type: 'button', class: 'link', 'aria-label': `Show component ${letter}`, click: () => choose(members[0][1]) }, 'show')),
    );
  });
  legend.replaceChildren(
    el(
      'section',
      { class: 'card', 'aria-label': 'Components' },
      el('h3', null, 'Components with cycles'),
      rows.length
        ? el('div', { class: 'vars', tabindex: '0', role: 'group', 'aria-label': 'Components' }, el('table', null, el('tbody', null, ...rows)))
        : el('p', { class: 'quiet' }, 'There is none: every run ends.'),
    ),
  );
};
