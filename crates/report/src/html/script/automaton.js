// The automaton of bad runs, drawn, with what it does at the chosen step.

const RADIUS = 20;

const braced = (marks) => (marks.length ? ` {${marks.join(' ')}}` : '');

class AutomatonPanel {
  constructor(run) {
    this.run = run;
    this.automaton = run.automaton;
    this.words = el('p');
    this.letter = el('tbody');
    this.element = el(
      'section',
      { class: 'card', 'aria-label': 'Automaton of the property' },
      el('h3', null, 'What the property notices'),
      el('p', { class: 'quiet' }, 'This automaton finds the runs that break the property, reading their states one after the other: ', this.automaton.acceptance, '.'),
      ...this.automaton.conditionals.map((text) => el('p', { class: 'quiet' }, text, '.')),
      this.automaton.hidden ? el('p', { class: 'quiet' }, `${count(this.automaton.hidden, 'state')} that the run does not need are not drawn.`) : null,
      el('div', { class: 'picture', tabindex: '0', role: 'group', 'aria-label': 'Picture of the automaton, scrollable' }, this.draw()),
      el('p', { class: 'quiet' }, 'Thick ring and \u25b6: where one accepting reading is; dashed ring: where the automaton may be as well; thick arrow: how it goes on. Numbers in braces are marks.'),
      this.words,
      this.automaton.propositions.length
        ? el(
            'table',
            null,
            el('thead', null, el('tr', null, ...['name', 'now', 'meaning'].map((h) => el('th', { scope: 'col' }, h)))),
            this.letter,
          )
        : null,
    );
  }

  place(state) {
    const [, , place] = this.automaton.states[state];
    return place && { x: this.left + place[0] * this.step, y: this.middle + place[1] * this.across };
  }

  label(edge) {
    const [, , text, marks] = edge;
    return `${cut(text, 26)}${braced(marks)}`;
  }

  draw() {
    const { states, edges, initial } = this.automaton;
    const places = states.map(([, , place]) => place).filter(Boolean);
    const layers = Math.max(0, ...places.map(([layer]) => layer));
    const reach = Math.max(0, ...places.map(([, across]) => Math.abs(across)));
    const widest = Math.max(40, ...edges.filter(([a, b]) => a !== b).map((e) => width(this.label(e))));
    const loops = Math.max(40, ...edges.filter(([a, b]) => a === b).map((e) => width(this.label(e))));
    this.step = Math.max(widest + 2 * RADIUS + 44, loops * 0.75 + 60, 120);
    this.left = Math.max(70, loops / 2 + 14);
    const twin = (edge) => edges.filter(([a, b]) => a === b && a === edge[0]).length;
    const most = Math.max(0, ...edges.filter(([a, b]) => a === b).map(twin));
    this.across = 80 + 32 * most;
    this.top = 34 + 32 * most;
    const arcs = edges.filter(([a, b]) => a !== b && Math.abs((states[a][2] || [0])[0] - (states[b][2] || [0])[0]) > 1).length;
    this.middle = this.top + 20 + reach * this.across + (arcs ? 40 : 0);
    const wide = this.left + layers * this.step + Math.max(60, loops / 2 + 14);
    const high = this.middle + reach * this.across + 54 + (arcs ? 40 : 0);
    this.nodes = states.map(([id, name], i) => this.drawState(i, name || String(id)));
    const twins = new Map();
    this.arrows = edges.map((edge) => {
      const key = `${edge[0]} ${edge[1]}`;
      const twin = twins.get(key) || 0;
      twins.set(key, twin + 1);
      const back = edges.some(([a, b]) => a === edge[1] && b === edge[0]);
      return this.drawEdge(edge, twin, back);
    });
    const starts = initial.map((state) => {
      const at = this.place(state);
      if (!at) return null;
      return svg('g', null, svg('line', { class: 'edge', x1: at.x - RADIUS - 26, x2: at.x - RADIUS - 9, y1: at.y, y2: at.y }), this.tip(at.x - RADIUS - 2, at.y, 0));
    });
    return svg(
      'svg',
      { width: Math.ceil(wide), height: Math.ceil(high), role: 'img', 'aria-label': 'Automaton; the sentences below tell where it is' },
      ...starts,
      ...this.arrows.map((a) => a && a.group),
      ...this.nodes.map((n) => n && n.group),
    );
  }

  tip(x, y, angle) {
    const turn = (angle * 180) / Math.PI;
    return svg('path', { class: 'edge-tip', d: 'M0,0 l-9,-4.5 v9 z', transform: `translate(${x},${y}) rotate(${turn})` });
  }

  drawState(number, name) {
    const at = this.place(number);
    if (!at) return null;
    const circle = svg('circle', { class: 'state', cx: at.x, cy: at.y, r: RADIUS });
    const text = svg('text', { x: at.x, y: at.y + 4, 'text-anchor': 'middle' }, cut(name, 5), svg('title', null, name));
    const here = svg('text', { x: at.x, y: at.y + RADIUS + 16, 'text-anchor': 'middle', class: 'note halo' });
    return { group: svg('g', null, circle, text, here), circle, here };
  }

  drawEdge(edge, twin, back) {
    const [source, target, text, marks] = edge;
    const [a, b] = [this.place(source), this.place(target)];
    if (!a || !b) return null;
    const label = (x, y) =>
      svg('text', { x, y, 'text-anchor': 'middle', class: 'label halo' }, this.label(edge), svg('title', null, `${text}${marks.length ? `, marks ${marks.join(', ')}` : ''}`));
    if (source === target) {
      const top = a.y - RADIUS - 26 - 30 * twin;
      const path = svg('path', { class: 'edge', d: `M${a.x - 9},${a.y - 18} C${a.x - 30 - 16 * twin},${top} ${a.x + 30 + 16 * twin},${top} ${a.x + 11},${a.y - 20}` });
      const tip = this.tip(a.x + 9, a.y - 18, 2.05);
      return { group: svg('g', null, path, tip, label(a.x, top - 2 + 4 * (twin === 0))), path, tip };
    }
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy);
    const layers = Math.abs(dx) / this.step;
    const bow = (back || twin ? 26 + 22 * twin : 0) + (layers > 1.01 ? 34 * layers : 0) + (Math.abs(dx) < 1 ? 14 + length / 5 : 0);
    const [nx, ny] = [dy / length, -dx / length];
    const middle = { x: (a.x + b.x) / 2 + nx * bow * 2, y: (a.y + b.y) / 2 + ny * bow * 2 };
    const cutAt = (from, towards, distance) => {
      const d = Math.hypot(towards.x - from.x, towards.y - from.y);
      return { x: from.x + ((towards.x - from.x) * distance) / d, y: from.y + ((towards.y - from.y) * distance) / d };
    };
    const start = cutAt(a, middle, RADIUS);
    const end = cutAt(b, middle, RADIUS + 8);
    const point = cutAt(b, middle, RADIUS + 1);
    const path = svg('path', { class: 'edge', d: `M${start.x},${start.y} Q${middle.x},${middle.y} ${end.x},${end.y}` });
    const tip = this.tip(point.x, point.y, Math.atan2(b.y - middle.y, b.x - middle.x));
    const at = { x: (a.x + b.x) / 4 + middle.x / 2, y: (a.y + b.y) / 4 + middle.y / 2 };
    return { group: svg('g', null, path, tip, label(at.x, at.y - 6)), path, tip };
  }

  // The moment of a step in some turn of the loop: the last state of the cycle is the first of the
  // next turn.
  moment(step, turn) {
    const { at, later, moments } = this.automaton;
    if (turn === 1 && step < at.length) return moments[at[step]];
    const position = step < at.length ? step : this.run.entry;
    return moments[later[position - this.run.entry]];
  }

  show(step, turn) {
    const [letter, possible, states, edges] = this.moment(step, turn);
    const { automaton } = this;
    this.nodes.forEach((node, i) => {
      if (!node) return;
      const now = states.includes(i);
      node.circle.setAttribute('class', `state${now ? ' now' : possible.includes(i) ? ' possible' : ''}`);
      node.here.textContent = now ? '\u25b6 here' : possible.includes(i) ? 'possible' : '';
    });
    this.arrows.forEach((arrow, i) => {
      if (!arrow) return;
      const now = edges.includes(i) ? ' now' : '';
      arrow.path.setAttribute('class', `edge${now}`);
      arrow.tip.setAttribute('class', `edge-tip${now}`);
      arrow.group.lastChild.setAttribute('class', `label halo${now}`);
    });
    this.letter.replaceChildren(
      ...automaton.propositions.map(([name, meaning], i) =>
        el('tr', null, el('td', null, code(name)), el('td', null, letter[i] ? '\u2713 true' : '\u2717 false'), el('td', null, code(meaning))),
      ),
    );
    const name = (i) => automaton.states[i][1] || automaton.states[i][0];
    const moves = edges.map((i) => {
      const [, target, text, marks] = automaton.edges[i];
      const seen = marks.length ? `, mark ${marks.join(' and ')}` : '';
      return ['to state ', String(name(target)), ' (', code(text), seen, ')'];
    });
    this.words.replaceChildren();
    if (!states.length) return this.tellPossible(possible.map(name), moves);
    append(this.words, [
      `Here the automaton is in state ${states.map(name).join(' or ')} and goes `,
      ...moves.map((m, i) => [i > 0 ? ' or ' : null, ...m]).flat(),
      '.',
    ]);
  }

  // What there is to say of a path that need not be bad.
  tellPossible(states, moves) {
    if (!states.length) {
      this.words.textContent = 'No run that begins like this is bad: there is no state left for the automaton.';
      return;
    }
    const goes = moves.length ? [' and can go ', ...moves.map((m, i) => [i > 0 ? ' or ' : null, ...m]).flat(), '.'] : [' and cannot go on.'];
    append(this.words, [`Here the automaton can be in state ${states.join(' or ')}`, ...goes]);
  }
}
