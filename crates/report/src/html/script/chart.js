// The message sequence chart of a run: processes are columns, steps are rows, messages are arrows.
// Only the rows in view are drawn, so the length of a run does not matter.

// A run: `columns`, `variables` and `texts` are lists of strings; `entry` is the step behind which the loop
// begins, or null; a step is [kind, columns, text, file, line, changes, substeps, printed, inputs],
// where the last three may be missing and texts are known by their numbers; a change is [variable, text],
// with -1 for a variable that is gone; an arrow is [[step, column], [step, column], channel, fields].

const ROW = 38;
const GUTTER = 84;
const HEAD = 30;

const INIT = 0;
const STUTTER = 2;

// The rows: steps, and lines of words between them.
const rowsOf = (run) => {
  const rows = [];
  const rowOf = [];
  const turns = run.entry !== null && !run.stays;
  run.steps.forEach((step, number) => {
    if (turns && number === run.entry + 1) {
      rows.push({ note: '\u21bb what follows repeats for ever', begins: true });
    }
    rowOf.push(rows.length);
    rows.push({ step: number });
  });
  if (turns) {
    const where = run.entry === 0 ? 'the initial state' : `the state after step ${run.entry}`;
    rows.push({ note: `\u21bb back in ${where}`, ends: true });
  } else if (run.end) {
    rows.push({ note: `\u2717 ${run.end}` });
  }
  return { rows, rowOf };
};

const actionOf = (run, number) => {
  const [kind, , action, , , changes, substeps] = run.steps[number];
  if (kind === INIT) return 'initial state';
  const text = run.texts[action];
  // A run that stays although something could move says so.
  if (kind === STUTTER) return text || 'nothing can move any more';
  if (text === '') {
    const list = changes.map(([v, t]) => `${run.variables[v]} = ${t < 0 ? 'gone' : run.texts[t]}`);
    return list.join(', ') || 'nothing changes';
  }
  return substeps && substeps.length > 1 ? `${text}  \u2026+${substeps.length - 1}` : text;
};

class Chart {
  constructor(run, choose) {
    this.run = run;
    this.choose = choose;
    Object.assign(this, rowsOf(run));
    this.current = 0;
    this.loop = [this.rows.findIndex((r) => r.begins), this.rows.findIndex((r) => r.ends)];
    this.arrows = run.arrows.map(([from, to, channel, fields]) => ({
      from: from && { row: this.rowOf[from[0]], column: from[1] },
      to: to && { row: this.rowOf[to[0]], column: to[1] },
      text: `${run.texts[channel]}: ${run.texts[fields]}`,
      fields: run.texts[fields],
    }));
    this.level = new Map();
    for (const arrow of this.arrows) {
      const { from, to } = arrow;
      if (from && to && from.row === to.row && from.column !== to.column) this.level.set(from.row, arrow);
    }
    // What a row sends or receives through a buffer, if that is all it does.
    this.passing = new Map();
    for (const { from, to, fields } of this.arrows) {
      if (from && to && from.row === to.row) continue;
      for (const [end, sign] of [[from, '!'], [to, '?']]) {
        const single = end && (this.run.steps[this.rows[end.row].step][6] || []).length < 2;
        if (single) this.passing.set(end.row, { sign, fields });
      }
    }
    this.heads = el('div', { class: 'heads' });
    this.window = el('div', { class: 'window', click: (event) => this.clicked(event) });
    this.scroller = el(
      'div',
      {
        class: 'scroller',
        role: 'img',
        'aria-label': 'Message sequence chart of the run; the chosen step is told in words beside it',
      },
      this.heads,
      this.window,
    );
    this.element = el('div', { class: 'card chart' }, this.scroller);
    this.scroller.addEventListener('scroll', () => this.later(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  resized() {
    const columns = this.run.columns.length;
    const room = this.scroller.clientWidth - GUTTER;
    const least = columns === 1 ? 180 : 124;
    this.column = Math.max(least, Math.min(Math.floor(room / columns), columns === 1 ? 900 : 320));
    this.wide = Math.max(GUTTER + this.column * columns, this.scroller.clientWidth);
    const wide = this.wide;
    this.heads.style.width = `${wide}px`;
    this.window.style.width = `${wide}px`;
    this.window.style.height = `${this.rows.length * ROW}px`;
    const most = Math.floor((this.column - 8) / 7.3);
    this.corner = svg(
      'g',
      null,
      svg('rect', { class: 'gutter', x: 0, y: 0, width: GUTTER - 4, height: HEAD - 1 }),
      svg('text', { x: GUTTER - 12, y: 20, 'text-anchor': 'end', class: 'quiet' }, 'step'),
    );
    this.heads.replaceChildren(
      svg(
        'svg',
        { width: wide, height: HEAD },
        ...this.run.columns.map((name, i) =>
          svg(
            'text',
            { x: this.x(i), y: 20, 'text-anchor': 'middle', class: 'head' },
            cut(name, most),
            svg('title', null, name),
          ),
        ),
        this.corner,
      ),
    );
    this.reveal();
    this.draw();
  }

  x(column) {
    return GUTTER + this.column * (column + 0.5);
  }

  clicked(event) {
    const top = this.window.getBoundingClientRect().top;
    const row = this.rows[Math.floor((event.clientY - top) / ROW)];
    if (row && row.step !== undefined) this.choose(row.step);
  }

  select(step) {
    this.current = step;
    this.reveal();
    this.draw();
  }

  // Scrolls to the chosen step, with a row of context and the words about the loop.
  reveal() {
    const row = this.rowOf[this.current];
    const box = this.scroller;
    const top = row * ROW;
    const room = box.clientHeight - HEAD;
    if (top - ROW < box.scrollTop) box.scrollTop = Math.max(0, top - 2 * ROW);
    else if (top + 2 * ROW > box.scrollTop + room) box.scrollTop = top + 3 * ROW - room;
    const columns = this.run.steps[this.current][1];
    if (!this.column || columns.length === 0) return;
    const [left, right] = [Math.min(...columns), Math.max(...columns) + 1].map((c) => GUTTER + c * this.column);
    if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth + 4;
    if (left - GUTTER < box.scrollLeft) box.scrollLeft = Math.max(0, left - GUTTER);
  }

  // The rows in view, with some around.
  view() {
    const top = this.scroller.scrollTop;
    const first = Math.max(0, Math.floor(top / ROW) - 6);
    const last = Math.ceil((top + this.scroller.clientHeight) / ROW) + 6;
    return [first, Math.min(this.rows.length, last)];
  }

  draw() {
    if (!this.column) return;
    const [first, last] = this.view();
    const left = this.scroller.scrollLeft;
    const top = first * ROW;
    const height = (last - first) * ROW;
    const y = (row) => row * ROW - top;
    const back = [];
    const front = [];
    const gutter = [];
    for (let row = first; row < last; row += 1) this.drawRow(row, y(row), back, front, gutter);
    const lifelines = this.run.columns.map((_, i) =>
      svg('line', { class: 'lifeline', x1: this.x(i), x2: this.x(i), y1: 0, y2: height }),
    );
    const messages = this.arrows
      .filter((a) => {
        const ends = [a.from, a.to].filter(Boolean).map((end) => end.row);
        return Math.min(...ends) < last && Math.max(...ends) >= first;
      })
      .map((a) => this.drawArrow(a, y));
    const picture = svg(
      'svg',
      { width: this.wide, height },
      ...back,
      ...lifelines,
      ...messages.flat(),
      ...front,
      // Step numbers and the way back stay in view when the columns are scrolled.
      svg('g', { transform: `translate(${left},0)` }, ...gutter, ...this.drawLoop(first, last, y, height)),
    );
    this.corner.setAttribute('transform', `translate(${left},0)`);
    picture.style.top = `${top}px`;
    this.window.replaceChildren(picture);
  }

  // Half the width of the box of a step, and its text.
  boxOf(row) {
    const most = Math.floor((this.column - 24) / 7.3);
    const action = actionOf(this.run, this.rows[row].step);
    // The message itself says more than the names of variables it comes from or goes to.
    const message = this.passing.get(row);
    const told = !message || message.fields.split(', ').every((field) => action.includes(field));
    const fits = Array.from(action).length <= most;
    const text = cut(told && (fits || !message) ? action : `${message.sign} ${message.fields}`, most);
    return { text, half: Math.min(this.column - 8, width(text) + 14) / 2 };
  }

  drawRow(row, y, back, front, gutter) {
    const { step, note } = this.rows[row];
    const [begins, ends] = this.loop;
    const loop = begins >= 0 && row >= begins && row <= ends;
    const current = step !== undefined && step === this.current;
    if (loop) back.push(svg('rect', { class: 'inloop', x: 0, y, width: this.wide, height: ROW }));
    gutter.push(svg('rect', { class: loop ? 'inloop' : 'gutter', x: 0, y, width: GUTTER - 4, height: ROW + 0.5 }));
    if (note !== undefined) {
      const text = cut(note, Math.floor((this.wide - GUTTER) / 7));
      front.push(svg('text', { class: 'note halo', x: GUTTER, y: y + 24 }, text));
      return;
    }
    const [kind, columns] = this.run.steps[step];
    const halo = current ? 'halo oncurrent' : 'halo';
    if (current) {
      const box = { y: y + 1, height: ROW - 2, rx: 5 };
      back.push(svg('rect', { class: 'current', x: 30, width: this.wide - 32, ...box }));
      gutter.push(
        svg('rect', { class: 'current', x: 30, width: GUTTER - 36, ...box }),
        svg('text', { x: 36, y: y + 24 }, '\u25b6'),
      );
    }
    gutter.push(
      svg('text', { class: 'quiet', x: GUTTER - 12, y: y + 24, 'text-anchor': 'end' }, String(step)),
    );
    if (kind !== 1) {
      const text = cut(actionOf(this.run, step), Math.floor((this.wide - GUTTER) / 7.3));
      front.push(svg('text', { class: `quiet ${halo}`, x: GUTTER, y: y + 24 }, text));
      return;
    }
    const arrow = this.level.get(row);
    if (arrow) {
      this.drawHandshake(row, y, arrow, front, halo);
      return;
    }
    const x = this.x(columns[0]);
    const { text, half } = this.boxOf(row);
    front.push(
      svg('rect', { class: 'box', x: x - half, y: y + 6, width: 2 * half, height: ROW - 12, rx: 4 }),
      svg('text', { x, y: y + 23, 'text-anchor': 'middle' }, text, svg('title', null, actionOf(this.run, step))),
    );
    for (const other of columns.slice(1)) {
      front.push(svg('circle', { class: 'dot', cx: this.x(other), cy: y + ROW / 2, r: 4 }));
    }
  }

  // A level arrow with the statement above it.
  drawHandshake(row, y, arrow, front, halo) {
    const [a, b] = [this.x(arrow.from.column), this.x(arrow.to.column)];
    const step = this.rows[row].step;
    const action = actionOf(this.run, step);
    const text = arrow.fields && !action.includes(arrow.fields) ? `${action}: ${arrow.fields}` : action;
    const most = Math.floor((Math.abs(a - b) + this.column - 20) / 7.3);
    front.push(
      svg('circle', { class: 'dot', cx: a, cy: y + 27, r: 4 }),
      svg(
        'text',
        { class: halo, x: (a + b) / 2, y: y + 18, 'text-anchor': 'middle' },
        cut(text, most),
        svg('title', null, text),
      ),
    );
  }

  drawArrow(arrow, y) {
    const { from, to } = arrow;
    const tip = (x, at, direction) =>
      svg('path', { class: 'tip', d: `M${x},${at} l${-9 * direction},-5 v10 z` });
    if (from && to && from.row === to.row && from.column !== to.column) {
      const [a, b] = [this.x(from.column), this.x(to.column)];
      const direction = Math.sign(b - a);
      const at = y(from.row) + 27;
      return [svg('line', { class: 'message', x1: a, x2: b - 8 * direction, y1: at, y2: at }), tip(b, at, direction)];
    }
    const middle = (end) => y(end.row) + ROW / 2;
    const edge = (end, direction) => this.x(end.column) + direction * this.boxOf(end.row).half;
    if (from && to) {
      const direction = Math.sign(to.column - from.column);
      if (direction === 0) {
        const [a, b] = [edge(from, 1), edge(to, 1)];
        const far = Math.max(a, b) + 22;
        const path = `M${a},${middle(from)} C${far},${middle(from)} ${far},${middle(to)} ${b + 8},${middle(to)}`;
        return [svg('path', { class: 'message', d: path }), tip(b, middle(to), -1)];
      }
      const [a, b] = [edge(from, direction), edge(to, -direction)];
      const bend = (b - a) / 3;
      const path = `M${a},${middle(from)} C${a + bend},${middle(from)} ${b - 3 * direction - bend},${middle(to)} ${b - 8 * direction},${middle(to)}`;
      return [svg('path', { class: 'message', d: path }), tip(b, middle(to), direction)];
    }
    // Half an arrow: the other end is not in this run, or in another turn of the loop.
    const end = from || to;
    const words = from ? `${arrow.text} is not received in these steps` : `${arrow.text} was sent before`;
    const side = this.x(end.column) + this.boxOf(end.row).half + 26 > this.wide ? -1 : 1;
    const near = edge(end, side);
    const far = near + 20 * side;
    const line = svg('line', { class: 'message half', x1: near, x2: far, y1: middle(end), y2: middle(end) }, svg('title', null, words));
    return from
      ? [line, tip(far + 4 * side, middle(end), side)]
      : [line, tip(near, middle(end), -side)];
  }

  // The line that leads from the end of the loop back to where it begins.
  drawLoop(first, last, y, height) {
    const [begins, ends] = this.loop;
    if (begins < 0 || begins >= last || ends < first) return [];
    const top = begins >= first ? y(begins) + ROW / 2 : 0;
    const bottom = ends < last ? y(ends) + ROW / 2 : height;
    const parts = [svg('line', { class: 'round', x1: 14, x2: 14, y1: top, y2: bottom })];
    if (begins >= first) {
      parts.push(
        svg('line', { class: 'round', x1: 13, x2: GUTTER - 14, y1: top, y2: top }),
        svg('path', { class: 'round-tip', d: `M${GUTTER - 6},${top} l-10,-5 v10 z` }),
      );
    }
    if (ends < last) {
      parts.push(svg('line', { class: 'round', x1: 13, x2: GUTTER - 8, y1: bottom, y2: bottom }));
    }
    return parts;
  }
}
