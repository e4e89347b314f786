// What is said about the chosen step: the step itself, the variables, the source.

const CHECKPOINT = 128;
const LINE = 20;
const MOST_VARIABLES = 400;

// The values of all variables behind each step, from changes and a checkpoint now and then.
class States {
  constructor(run) {
    this.run = run;
    this.checkpoints = [];
    const now = new Array(run.variables.length).fill(-1);
    run.steps.forEach(([, , , , , changes], number) => {
      for (const [variable, text] of changes) now[variable] = text;
      if (number % CHECKPOINT === 0) this.checkpoints.push(now.slice());
    });
  }

  at(step) {
    const checkpoint = Math.floor(step / CHECKPOINT);
    const values = this.checkpoints[checkpoint].slice();
    for (let i = checkpoint * CHECKPOINT + 1; i <= step; i += 1) {
      for (const [variable, text] of this.run.steps[i][5]) values[variable] = text;
    }
    return values;
  }

  text(value) {
    return value < 0 ? '\u2013' : this.run.texts[value];
  }
}

const placeText = (file, line) => {
  if (file === null || line === null) return '';
  const name = data.files.length > 1 ? `${data.files[file].name}, ` : '';
  return `${name}line ${line}`;
};

// The places that the values of a step come from, where it stands on no line of its own: file, first line, last line.
const sourcesOf = (run, number) => run.steps[number][9] || [];

// The same in words.
const sourcesText = (places) => {
  const line = ([, first, last]) => (first === last ? String(first) : `${first}\u2013${last}`);
  const files = new Map();
  for (const place of places) files.set(place[0], [...(files.get(place[0]) || []), line(place)]);
  const words = [...files].map(([file, lines]) => {
    const name = data.files.length > 1 ? `${data.files[file].name}, ` : '';
    const one = lines.length === 1 && !lines[0].includes('\u2013');
    return `${name}${one ? 'line' : 'lines'} ${lines.join(', ')}`;
  });
  return words.join('; ');
};

// Who does a step, in words.
const whoOf = (run, number) => {
  const [kind, columns] = run.steps[number];
  return kind === 1 && run.columns.length > 0 ? columns.map((c) => run.columns[c]).join(' and ') : '';
};

// The inputs of a step: pairs of a name and a value.
const inputsOf = (run, number) => (run.steps[number][8] || []).map(([name, value]) => [run.texts[name], run.texts[value]]);

// The chosen step in words.
class StepPanel {
  constructor(run) {
    this.run = run;
    // The messages of each step.
    this.messages = new Map();
    for (const arrow of run.arrows) {
      for (const step of new Set([arrow[0], arrow[1]].filter(Boolean).map(([number]) => number))) {
        if (!this.messages.has(step)) this.messages.set(step, []);
        this.messages.get(step).push(arrow);
      }
    }
    this.body = el('div');
    this.element = el('section', { class: 'card step', 'aria-label': 'The chosen step' }, this.body);
  }

  show(step, part, jump) {
    const run = this.run;
    const [kind, , action, file, line, , substeps, printed] = run.steps[step];
    const loop = run.entry !== null && !run.stays && step > run.entry;
    const parts = [el('h3', null, step === 0 ? 'Initial state' : `Step ${step}`, loop ? ' \u21bb in the loop' : null)];
    if (kind === STUTTER) {
      const could = run.texts[action] !== '';
      parts.push(el('p', null, could ? 'The run stays here for ever, although a step is possible: no fairness that is assumed demands one.' : 'Nothing can move any more; the run stays here for ever.'));
    }
    if (kind === 1) {
      const who = whoOf(run, step);
      const text = run.texts[action];
      parts.push(el('p', null, el('strong', null, who), text ? ': ' : null, text ? code(text) : null));
      const given = inputsOf(run, step);
      if (given.length) {
        parts.push(el('p', null, 'Inputs: ', ...listed(given, ([name, value]) => code(`${name} = ${value}`))));
      }
      const places = sourcesOf(run, step);
      const where = places.length ? `values from ${sourcesText(places)}` : placeText(file, line);
      if (where) parts.push(el('p', { class: 'quiet' }, where));
    }
    if (substeps && substeps.length > 1) {
      parts.push(
        el('p', { class: 'quiet' }, `One atomic step of ${substeps.length} statements (\u2190 \u2192 walk through them):`),
        el(
          'ol',
          null,
          ...substeps.map(([column, text, subfile, subline], i) =>
            el(
              'li',
              null,
              el(
                'button',
                { type: 'button', class: 'link', 'aria-current': i === part ? 'step' : null, click: () => jump(step, i) },
                i === part ? '\u25b6 ' : null,
                column !== null && column !== run.steps[step][1][0] ? `${run.columns[column]}: ` : null,
                code(run.texts[text]),
              ),
              el('span', { class: 'quiet' }, ` ${placeText(subfile, subline)}`),
            ),
          ),
        ),
      );
    }
    for (const [from, to, channel, fields] of this.messages.get(step) || []) {
      const sent = from && from[0] === step;
      const received = to && to[0] === step;
      const name = (end) => (end ? run.columns[end[1]] : null);
      const message = [code(`${run.texts[channel]}`), ' carries ', code(run.texts[fields] || '(nothing)')];
      if (sent && received) parts.push(el('p', null, 'Handshake: ', message, ` from ${name(from)} to ${name(to)}`));
      else if (sent && to) parts.push(el('p', null, message, ` to ${name(to)}, received in step ${to[0]}`));
      else if (sent) parts.push(el('p', null, message, ', not received in these steps'));
      else if (from) parts.push(el('p', null, message, ` from ${name(from)}, sent in step ${from[0]}`));
      else parts.push(el('p', null, message, ', sent before or only looked at'));
    }
    if (printed) parts.push(el('p', { class: 'quiet' }, 'printed:'), el('pre', null, printed));
    if (run.fault && step === run.steps.length - 1) {
      parts.push(el('p', { class: 'verdict violated' }, `\u2717 ${run.fault.message}`));
    }
    this.body.replaceChildren(...parts);
  }
}

// The elements of an array, or null for other values.
const elementsOf = (text) => (/^\[[^[\]]*\]$/.test(text) ? text.slice(1, -1).split(', ') : null);

// A value, with the elements marked in which an array differs from another.
const compared = (text, other) => {
  const [own, others] = [elementsOf(text), elementsOf(other)];
  if (!own || !others || own.length !== others.length || own.length < 2) return [text];
  const parts = own.map((element, i) => (element === others[i] ? element : el('mark', null, element)));
  return ['[', ...listed(parts), ']'];
};

// The variables before and after the chosen step.
class VariablePanel {
  constructor(run) {
    this.run = run;
    this.states = new States(run);
    this.rows = el('tbody');
    this.note = el('p', { class: 'quiet' });
    this.only = el('input', { type: 'checkbox', id: 'only', change: () => this.refresh() });
    this.filter = el('input', {
      type: 'search',
      placeholder: 'filter by name',
      'aria-label': 'Filter variables by name',
      input: () => this.refresh(),
    });
    const heads = ['', 'variable', 'before', 'after'];
    this.element = el(
      'section',
      { class: 'card', 'aria-label': 'Variables' },
      el('h3', null, 'Variables'),
      el('div', { class: 'filters' }, this.filter, el('label', { for: 'only' }, this.only, ' only what changes')),
      el(
        'div',
        { class: 'vars', tabindex: '0', role: 'group', 'aria-label': 'Table of variables' },
        el(
          'table',
          null,
          el('thead', null, el('tr', null, ...heads.map((h) => el('th', { scope: 'col' }, h || el('span', { class: 'unseen' }, 'changed'))))),
          this.rows,
        ),
      ),
      this.note,
    );
  }

  show(step) {
    this.step = step;
    this.refresh();
  }

  refresh() {
    const { run, states, step } = this;
    const after = states.at(step);
    const before = step === 0 ? after : states.at(step - 1);
    const changed = new Set(step === 0 ? [] : run.steps[step][5].map(([v]) => v));
    const wanted = this.filter.value.toLowerCase();
    const all = run.variables
      .map((name, v) => v)
      .filter((v) => after[v] >= 0 || before[v] >= 0)
      .filter((v) => !wanted || run.variables[v].toLowerCase().includes(wanted))
      .filter((v) => !this.only.checked || changed.has(v));
    // Of very many variables those that change come first.
    if (all.length > MOST_VARIABLES) all.sort((a, b) => changed.has(b) - changed.has(a));
    const rows = all.slice(0, MOST_VARIABLES).map((v) =>
      el(
        'tr',
        { class: changed.has(v) ? 'changed' : null },
        el('td', null, changed.has(v) ? el('span', { title: 'changed' }, '\u25cf', el('span', { class: 'unseen' }, ' changed')) : null),
        el('td', null, run.variables[v]),
        el('td', null, ...(step === 0 ? [] : compared(states.text(before[v]), states.text(after[v])))),
        el('td', null, ...compared(states.text(after[v]), states.text(before[v]))),
      ),
    );
    this.rows.replaceChildren(...rows);
    const hiddenCount = all.length - rows.length;
    this.note.textContent =
      hiddenCount > 0
        ? `${count(hiddenCount, 'more variable')} not shown: use the filter.`
        : all.length === 0
          ? this.only.checked && !wanted
            ? 'This step changes no variable.'
            : 'No such variable.'
          : '';
  }
}

// The source with the chosen line; only the lines in view are in the page.
class SourcePanel {
  constructor(run) {
    this.run = run;
    this.lines = data.files.map((file) => file.text.split(/\r\n|\n|\r/));
    this.file = 0;
    this.at = null;
    this.also = new Set();
    this.space = el('div');
    this.view = el('div', { class: 'source', tabindex: '0', role: 'group', 'aria-label': 'Source of the model' });
    this.choice = el(
      'select',
      { 'aria-label': 'File', change: () => this.open(Number(this.choice.value)) },
      ...data.files.map((file, i) => el('option', { value: String(i) }, file.name)),
    );
    this.element = el(
      'section',
      { class: 'card', 'aria-label': 'Source' },
      el('h3', null, 'Source'),
      data.files.length > 1
        ? el('div', { class: 'filters' }, this.choice)
        : el('p', { class: 'quiet' }, data.files.map((file) => file.name)),
      this.view,
    );
    this.view.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.view);
  }

  open(file) {
    this.file = file;
    this.choice.value = String(file);
    this.draw();
  }

  show(step, part) {
    const [, , , file, line, , substeps] = this.run.steps[step];
    const places = substeps && substeps.length > 1 ? substeps.map(([, , f, l]) => [f, l]) : [[file, line]];
    this.at = places[Math.min(part, places.length - 1)];
    this.also = new Set(places.filter(([f]) => f === this.at[0]).map(([, l]) => l));
    for (const [f, first, last] of sourcesOf(this.run, step)) {
      for (let l = first; f === this.at[0] && l <= last; l += 1) this.also.add(l);
    }
    if (this.at[0] !== null) {
      this.open(this.at[0]);
      const room = this.view.clientHeight || 300;
      const top = (this.at[1] - 1) * LINE;
      if (top < this.view.scrollTop + LINE || top + 2 * LINE > this.view.scrollTop + room) {
        this.view.scrollTop = Math.max(0, top - room / 2);
      }
    }
    this.draw();
  }

  draw() {
    const lines = this.lines[this.file] || [];
    const first = Math.max(0, Math.floor(this.view.scrollTop / LINE) - 5);
    const last = Math.min(lines.length, Math.ceil((this.view.scrollTop + (this.view.clientHeight || 500)) / LINE) + 5);
    this.space.style.height = `${lines.length * LINE}px`;
    const parts = [this.space];
    for (let i = first; i < last; i += 1) {
      const here = this.at && this.at[0] === this.file;
      const at = here && this.at[1] === i + 1;
      const also = here && !at && this.also.has(i + 1);
      const row = el(
        'div',
        { class: `line${at ? ' at' : also ? ' also' : ''}`, 'aria-current': at ? 'true' : null },
        el('span', { class: 'mark' }, at ? '\u25b6' : also ? '\u203a' : ' '),
        el('span', { class: 'no' }, String(i + 1)),
        lines[i].slice(0, 2000),
      );
      row.style.top = `${i * LINE}px`;
      parts.push(row);
    }
    this.view.replaceChildren(...parts);
  }
}

// Why the run breaks the property, and why it is fair.
const reasonsOf = (run, jump) => {
  const whatever = run.entry === null && run.why.length ? ', whatever follows' : '';
  const why = run.why.length ? run.why : run.end ? [run.end] : [];
  const cards = [];
  if (why.length) {
    cards.push(
      el(
        'section',
        { class: 'card' },
        el('h3', null, `Why it breaks the property${whatever}`),
        el('ul', null, ...why.map((sentence) => el('li', null, ...quoted(sentence)))),
      ),
    );
  }
  if (run.evidence.length) {
    cards.push(
      el(
        'section',
        { class: 'card' },
        el('h3', null, 'Why this run is fair'),
        el(
          'table',
          null,
          el('thead', null, el('tr', null, el('th', { scope: 'col' }, 'assumption'), el('th', { scope: 'col' }, 'kept, because'))),
          el(
            'tbody',
            null,
            ...run.evidence.map((e) =>
              el(
                'tr',
                null,
                el('td', null, code(e.assumption)),
                el(
                  'td',
                  null,
                  ...quoted(e.sentence),
                  e.step === null
                    ? null
                    : [
                        ' ',
                        el('button', { type: 'button', class: 'link', click: () => jump(e.step, 0) }, `show ${e.step === 0 ? 'the initial state' : `step ${e.step}`}`),
                      ],
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }
  return cards;
};
