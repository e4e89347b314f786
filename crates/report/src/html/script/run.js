// A run to step through: which property and which step are chosen, and how they are changed.

// `moved` is called when a step was chosen.
const page = { property: -1, run: 0, step: 0, part: 0, turn: 1, timer: null, views: null, moved: () => {} };
const detail = document.getElementById('detail');
const live = document.getElementById('live');

// The runs of a property: the one of the verdict, and others if all were asked for.
const runsOf = (property) => (property.run ? [property.run, ...property.others] : []);

const run = () => (page.property < 0 ? null : runsOf(data.properties[page.property])[page.run] || null);

// How many statements a step has.
const partsOf = (step) => {
  const substeps = run().steps[step][6];
  return substeps && substeps.length > 1 ? substeps.length : 1;
};

const turns = () => run().entry !== null && !run().stays && run().steps.length > run().entry + 1;

const jump = (step, part, turn) => {
  const { views } = page;
  page.step = Math.max(0, Math.min(step, run().steps.length - 1));
  page.part = Math.max(0, Math.min(part || 0, partsOf(page.step) - 1));
  page.turn = turn || (turns() && page.step > run().entry ? page.turn : 1);
  views.chart.select(page.step);
  views.step.show(page.step, page.part, jump);
  views.variables.show(page.step);
  views.source.show(page.step, page.part);
  if (views.automaton) views.automaton.show(page.step, page.turn);
  if (views.diagram) views.diagram.show(page.step);
  views.slider.value = String(page.step);
  views.slider.setAttribute('aria-valuetext', `step ${page.step}`);
  const round = page.turn > 1 ? `, turn ${page.turn} of the loop` : '';
  views.output.textContent = `step ${page.step} of ${run().steps.length - 1}${round}`;
  live.textContent = told();
  page.moved();
};

// The chosen step in one sentence, for those who listen.
const told = () => {
  const now = run();
  const { step } = page;
  const changes = step === 0 ? [] : now.steps[step][5];
  const list = changes.slice(0, 8).map(([v, t]) => `${now.variables[v]} = ${t < 0 ? 'gone' : now.texts[t]}`);
  const who = whoOf(now, step);
  const action = actionOf(now, step);
  const loop = turns() && step > now.entry ? `, in the loop${page.turn > 1 ? `, turn ${page.turn}` : ''}` : '';
  const place = now.steps[step][4] === null ? '' : `, ${placeText(now.steps[step][3], now.steps[step][4])}`;
  const given = inputsOf(now, step).map(([name, value]) => `${name} = ${value}`);
  return shown(
    `Step ${step} of ${now.steps.length - 1}${loop}. ${who ? `${who}: ` : ''}${action}${place}${given.length ? `, with ${given.join(', ')}` : ''}.` +
      (list.length ? ` Changed: ${list.join('; ')}${changes.length > 8 ? ' and more' : ''}.` : ''),
  );
};

const next = () => {
  if (page.step + 1 < run().steps.length) jump(page.step + 1, 0);
  else if (turns()) jump(run().entry + 1, 0, page.turn + 1);
  else stop();
};

const previous = () => {
  const first = turns() && page.turn > 1 && page.step === run().entry + 1;
  if (first) jump(run().steps.length - 1, 0, page.turn - 1);
  else jump(page.step - 1, 0);
};

const nextPart = () => (page.part + 1 < partsOf(page.step) ? jump(page.step, page.part + 1) : next());

const previousPart = () => {
  if (page.part > 0) jump(page.step, page.part - 1);
  else {
    previous();
    jump(page.step, partsOf(page.step) - 1);
  }
};

const stop = () => {
  if (page.timer !== null) clearInterval(page.timer);
  page.timer = null;
  if (page.views && page.views.play) {
    page.views.play.replaceChildren('\u25b6 Play');
    page.views.play.setAttribute('aria-pressed', 'false');
  }
};

const play = () => {
  if (page.timer !== null) return stop();
  page.timer = setInterval(next, prefersStill() ? 1500 : 800);
  page.views.play.replaceChildren('\u23f8 Pause');
  page.views.play.setAttribute('aria-pressed', 'true');
};

const first = () => jump(0, 0, 1);
const last = () => jump(run().steps.length - 1, 0);

const keys = {
  ArrowDown: next,
  ArrowUp: previous,
  ArrowRight: nextPart,
  ArrowLeft: previousPart,
  PageDown: () => jump(page.step + 10, 0),
  PageUp: () => jump(page.step - 10, 0),
  Home: first,
  End: last,
  ' ': play,
};

document.addEventListener('keydown', (event) => {
  const at = event.target instanceof Element ? event.target : null;
  const types = at && at.closest('input, select, textarea');
  const presses = event.key === ' ' && at && at.closest('button, a');
  const hidden = detail.getClientRects().length === 0;
  if (!run() || hidden || types || presses || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  if (event.key !== ' ') stop();
  act();
});

const sentence = (text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

const toolbar = (views) => {
  const tool = (text, name, act) =>
    el(
      'button',
      {
        type: 'button',
        class: 'tool',
        'aria-label': name,
        title: name,
        click: () => {
          stop();
          act();
        },
      },
      text,
    );
  views.play = el('button', { type: 'button', class: 'tool', 'aria-pressed': 'false', title: 'Play or pause (space)', click: play }, '\u25b6 Play');
  views.slider = el('input', {
    type: 'range',
    min: '0',
    max: String(run().steps.length - 1),
    value: '0',
    'aria-label': 'Step',
    input: () => {
      stop();
      jump(Number(views.slider.value), 0, 1);
    },
  });
  views.output = el('output');
  return el(
    'div',
    { class: 'toolbar', role: 'toolbar', 'aria-label': 'Walk through the run' },
    tool('\u21e4', 'First step (Home)', first),
    tool('\u2191', 'Previous step (up)', previous),
    tool('\u2193', 'Next step (down)', next),
    tool('\u21e5', 'Last step (End)', last),
    views.play,
    views.slider,
    views.output,
  );
};

// Which of several runs is shown.
const choice = (number, runs) => {
  const select = el(
    'select',
    { id: 'which', change: () => choose(number, 0, true, Number(select.value)) },
    ...runs.map((one, i) => el('option', { value: String(i) }, `${i + 1} of ${runs.length}, ${count(one.steps.length - 1, 'step')}`)),
  );
  select.value = String(page.run);
  return el('p', null, el('label', { for: 'which' }, 'Run '), select);
};

const showRun = (now) => {
  const views = {};
  page.views = views;
  views.chart = new Chart(now, (step) => {
    stop();
    jump(step, 0, 1);
  });
  views.step = new StepPanel(now);
  views.variables = new VariablePanel(now);
  views.source = new SourcePanel(now);
  views.automaton = now.automaton ? new AutomatonPanel(now) : null;
  views.diagram = now.diagram ? new DiagramPanel(now, views.variables.states) : null;
  return [
    el('p', null, sentence(now.headline)),
    el('div', { class: 'reasons' }, ...reasonsOf(now, (step, part) => jump(step, part, 1))),
    el(
      'p',
      { class: 'quiet' },
      'Keys: ',
      ...[['\u2191', null], ['\u2193', ' step, '], ['\u2190', null], ['\u2192', ' statement of an atomic step, '], ['Home', null], ['End', ' first and last, '], ['space', ' plays.']].map(([key, words]) => [el('kbd', null, key), ' ', words]).flat(),
    ),
    toolbar(views),
    el(
      'div',
      { class: 'board' },
      views.chart.element,
      el('div', { class: 'stack' }, views.step.element, views.variables.element, views.source.element),
      el('div', { class: 'below' }, views.diagram ? views.diagram.element : null, views.automaton ? views.automaton.element : null, statistics(data.properties[page.property])),
    ),
  ];
};

const choose = (number, step, quietly, which) => {
  stop();
  const property = data.properties[number];
  const runs = runsOf(property);
  page.property = number;
  page.run = which || 0;
  page.views = null;
  document.querySelectorAll('#overview tr[id]').forEach((row, i) => {
    if (i === number) row.setAttribute('aria-current', 'true');
    else row.removeAttribute('aria-current');
  });
  const body = runs.length
    ? [runs.length > 1 ? choice(number, runs) : null, ...showRun(runs[page.run])]
    : [
        property.verdict === 'violated' ? el('p', null, 'There is no run to show.') : null,
        statistics(property),
      ];
  detail.replaceChildren();
  append(detail, [
    el('h2', { id: 'detail-title' }, verdict(property), ' ', titled(property)),
    property.formula ? el('p', null, code(property.formula)) : null,
    property.fairness.length ? el('p', null, 'Assumed: ', ...listed(property.fairness, code)) : null,
    property.value === null ? null : el('p', null, 'Value: ', code(property.value)),
    property.reason ? el('p', null, property.reason) : null,
    ...property.warnings.map((text) => el('p', { class: 'warning' }, 'Warning: ', ...quoted(text))),
    ...body,
  ]);
  if (runs.length) jump(step || 0, 0, 1);
  if (!quietly) {
    detail.scrollIntoView({ behavior: prefersStill() ? 'auto' : 'smooth' });
    detail.focus({ preventScroll: true });
  }
};
