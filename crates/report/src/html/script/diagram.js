// The part of the model's own picture that the run has to do with: who moves at the chosen step, and what is held
// behind it.

class DiagramPanel {
  constructor(run, states) {
    this.run = run;
    this.states = states;
    const variable = new Map(run.variables.map((name, i) => [name, i]));
    const texts = new Map(run.texts.map((text, i) => [text, i]));
    this.nodes = run.diagram.nodes.map(([name, variables, actions, x, y]) => ({
      name,
      x: 60 + x * 84,
      y: (run.diagram.own ? 40 : 90) + y * 84,
      holds: variables.map((v) => variable.get(v)).filter((v) => v !== undefined),
      known: variables.length > 0,
      actions: new Set(actions.map((a) => texts.get(a)).filter((a) => a !== undefined)),
    }));
    this.words = el('p');
    this.element = el(
      'section',
      { class: 'card', 'aria-label': 'Picture of the model' },
      el('h3', null, 'The part of the model that moves'),
      el('p', { class: 'quiet' }, run.diagram.own ? 'Drawn as in the file.' : 'The file has no drawing of all of it; this one is made from its arrows.', ' A circle shows what it holds behind the chosen step; what moves in the step is thick.'),
      el('div', { class: 'picture', tabindex: '0', role: 'group', 'aria-label': 'Picture of the model, scrollable' }, this.draw()),
      this.words,
    );
  }

  draw() {
    const wide = Math.max(...this.nodes.map((n) => n.x)) + 70;
    const high = Math.max(...this.nodes.map((n) => n.y)) + (this.run.diagram.own ? 56 : 100);
    const all = this.run.diagram.arrows;
    this.arrows = all.map(([from, to, text], i) => {
      const back = all.some(([a, b], j) => j !== i && a === to && b === from);
      return this.arrow(this.nodes[from], this.nodes[to], text, back);
    });
    for (const node of this.nodes) this.drawNode(node);
    return svg(
      'svg',
      { width: Math.ceil(wide), height: Math.ceil(high), role: 'img', 'aria-label': 'Picture of the model; the sentence below tells what moves' },
      ...this.arrows.map((arrow) => arrow.group),
      ...this.nodes.map((node) => node.group),
    );
  }

  drawNode(node) {
    const label = svg('text', { x: node.x, y: node.y + 34, 'text-anchor': 'middle', class: 'label halo' }, cut(node.name, 14), svg('title', null, node.name));
    node.text = svg('text', { x: node.x, y: node.y + 4, 'text-anchor': 'middle', class: 'head' });
    node.shape = node.known
      ? svg('circle', { class: 'state', cx: node.x, cy: node.y, r: 18 })
      : svg('rect', { class: 'state', x: node.x - 16, y: node.y - 12, width: 32, height: 24 });
    node.group = svg('g', null, node.shape, node.text, label);
  }

  arrow(a, b, text, back) {
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const length = Math.hypot(dx, dy) || 1;
    // Arrows that lead back, or past others, go round them.
    const far = !this.run.diagram.own && (dx < 0 || length > 130);
    const bow = far ? 34 + length / 12 : back ? 12 : 0;
    const middle = { x: (a.x + b.x) / 2 + (dy / length) * bow * 2, y: (a.y + b.y) / 2 - (dx / length) * bow * 2 };
    const towards = (from, distance) => {
      const d = Math.hypot(middle.x - from.x, middle.y - from.y) || 1;
      return { x: from.x + ((middle.x - from.x) * distance) / d, y: from.y + ((middle.y - from.y) * distance) / d };
    };
    const [start, end, point] = [towards(a, 20), towards(b, 29), towards(b, 21)];
    const path = svg('path', { class: 'edge', d: `M${start.x},${start.y} Q${middle.x},${middle.y} ${end.x},${end.y}` });
    const turn = (Math.atan2(b.y - middle.y, b.x - middle.x) * 180) / Math.PI;
    const tip = svg('path', { class: 'edge-tip', d: 'M0,0 l-9,-4.5 v9 z', transform: `translate(${point.x},${point.y}) rotate(${turn})` });
    const at = { x: (a.x + b.x) / 4 + middle.x / 2, y: (a.y + b.y) / 4 + middle.y / 2 };
    const label = text ? svg('text', { x: at.x, y: at.y - 3, 'text-anchor': 'middle', class: 'label halo' }, text) : null;
    return { group: svg('g', null, path, tip, label), path, tip, ends: [a, b] };
  }

  show(step) {
    const values = this.states.at(step);
    const action = step > 0 && this.run.steps[step][0] === 1 ? this.run.steps[step][2] : null;
    const changed = new Set(step > 0 ? this.run.steps[step][5].map(([v]) => v) : []);
    const filled = [];
    for (const node of this.nodes) {
      const moves = !node.known && action !== null && node.actions.has(action);
      node.now = moves;
      if (node.known) {
        const numbers = node.holds.map((v) => Number(this.states.text(values[v]))).filter((n) => !Number.isNaN(n));
        const sum = numbers.reduce((all, n) => all + n, 0);
        node.text.textContent = sum > 0 ? String(sum) : '';
        if (sum > 0) filled.push(`${node.name} ${sum}`);
        const touched = node.holds.some((v) => changed.has(v));
        node.shape.setAttribute('class', `state${touched ? ' now' : ''}`);
      } else {
        node.shape.setAttribute('class', `state${moves ? ' now' : ''}`);
      }
    }
    for (const arrow of this.arrows) {
      const now = arrow.ends.some((node) => node.now) ? ' now' : '';
      arrow.path.setAttribute('class', `edge${now}`);
      arrow.tip.setAttribute('class', `edge-tip${now}`);
    }
    const mover = this.nodes.find((node) => node.now);
    this.words.replaceChildren();
    append(this.words, [mover ? `${mover.name} moves. ` : null, filled.length ? `Held: ${filled.slice(0, 20).join(', ')}${filled.length > 20 ? ', \u2026' : ''}.` : 'Nothing is held here.']);
  }
}
