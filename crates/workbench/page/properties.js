// The properties: those of the model and formulas of one's own, with verdicts, progress, and an end on demand.

import { append, choose, code, count, data, el, number, page, quoted, seconds, stop, verdict } from './report.js';
import { bench, finished, mistake, on, post, say, tell } from './calls.js';
import { assume, checks_again } from './fairness.js';
import { examples } from './examples.js';

// The rows: `kind` and `text` are what is asked, `result` what came back, `stale` whether something changed since.
let rows = [];
let selected = null;
let running = null;

const body = el('tbody');
const progress = el('div', { class: 'progress', hidden: true });
const words = el('span');
const bar = el('progress', { 'aria-label': 'Check under way' });
const check_all = el('button', { type: 'button', class: 'tool primary', id: 'check-all', click: () => tell('check-all') }, 'Check all');
const formula = el('input', {
  id: 'formula',
  class: 'field code',
  spellcheck: 'false',
  autocomplete: 'off',
});
const kind = el(
  'select',
  { id: 'kind', 'aria-label': 'Kind of formula' },
  ...[['ltl', 'LTL'], ['ctl', 'CTL*'], ['invariant', 'invariant']].map(([value, name]) => el('option', { value }, name)),
);
const errors = el('ul', { class: 'found', role: 'alert' });
const advice = el('div', { id: 'advice' });
const remarks = el('div', { id: 'remarks' });

export const temporal = () => rows.filter((row) => row.fair);
export const current = () => selected;
export const asked = (row) => ({ questions: row ? [{ kind: row.kind, text: row.text }] : [], ...bench.fair() });

export const build = () => {
  append(document.getElementById('ask'), [
    el('h2', { id: 'ask-title' }, 'Properties'),
    el(
      'div',
      { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Table of properties' },
      el(
        'table',
        { class: 'cards' },
        el('thead', null, el('tr', null, ...['verdict', 'property', 'ask'].map((name) => el('th', { scope: 'col' }, name)))),
        body,
      ),
    ),
    el(
      'form',
      {
        class: 'filters',
        submit: (event) => {
          event.preventDefault();
          add(kind.value, formula.value);
        },
      },
      el('label', { for: 'formula', class: 'unseen' }, 'Formula'),
      kind,
      formula,
      el('button', { type: 'submit', class: 'tool' }, 'Check formula'),
    ),
    el('div', { class: 'filters' }, check_all, el('span', { class: 'quiet' }, el('kbd', null, 'Ctrl'), ' ', el('kbd', null, 'Enter'), ' in the text')),
    progress,
    errors,
    remarks,
    advice,
  ]);
  append(progress, [bar, words, el('button', { type: 'button', class: 'tool', id: 'cancel', click: () => cancel() }, 'Cancel')]);
  on('read', (answer) => answer && merge(answer.properties));
  on('model', () => {
    formula.placeholder = examples().formula;
  });
  on('edited', () => {
    edits += 1;
    outdate(rows);
    outdate_advice();
  });
  on('fairness', () => {
    // What is being checked now is checked under the old fairness.
    const wanted = rows.filter((row) => (row.fair && row.result) || row.pending);
    outdate(wanted);
    if (checks_again() && wanted.length && bench.version) check(wanted);
  });
  on('check-all', () => whenRead(() => check(rows)));
};

// Waits until the text was read.
const whenRead = async (act) => {
  for (let i = 0; i < 60 && !bench.version; i += 1) await new Promise((done) => setTimeout(done, 50));
  if (bench.version) act();
  else say('The text has errors: nothing can be checked.');
};

const outdate = (list) => {
  list.forEach((row) => Object.assign(row, { stale: Boolean(row.result), edited: performance.now() }));
  draw();
};

// How often the text was changed.
let edits = 0;

// Advice is about the text: which fairness is assumed now does not matter to it.
const outdate_advice = () => {
  for (const title of advice.querySelectorAll('h3:not(.stale)')) {
    title.classList.add('stale');
    append(title, [el('span', { class: 'quiet' }, ' (before the change)')]);
  }
};

const merge = (properties) => {
  const own = rows.filter((row) => row.kind !== 'property');
  const known = (name) => rows.find((row) => row.kind === 'property' && row.text === name);
  const fresh = properties.map((p) => ({ ...(known(p.name) || { kind: 'property', text: p.name }), shown: p.kind, formula: p.formula, fair: p.fair }));
  if (selected) selected = [...fresh, ...own].find((row) => row.kind === selected.kind && row.text === selected.text) || null;
  rows = [...fresh, ...own];
  draw();
};

const add = (what, text) => {
  const wanted = text.trim();
  if (!wanted) return;
  let row = rows.find((known) => known.kind === what && known.text === wanted);
  if (!row) {
    row = { kind: what, text: wanted, shown: what, formula: wanted, fair: what !== 'invariant' };
    rows.push(row);
  }
  selected = row;
  draw();
  whenRead(() => check([row]));
};

// A formula of one's own, edited in place.
const editable = (row) => {
  const field = el('input', { class: 'field code', value: row.draft ?? row.text, 'aria-label': `Formula ${row.text}`, spellcheck: 'false' });
  const renew = () => {
    const text = field.value.trim();
    if (!text || text === row.text) return;
    Object.assign(row, { text, draft: null, formula: text, result: null, error: null, stale: false });
    whenRead(() => check([row]));
  };
  field.addEventListener('input', () => {
    row.draft = field.value;
  });
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      renew();
    }
  });
  return field;
};

const draw = () => {
  // What is being typed stays.
  const active = document.activeElement;
  const place = active && body.contains(active) ? [...body.querySelectorAll('input, button')].indexOf(active) : -1;
  body.replaceChildren(...rows.map(drawn));
  if (place >= 0) body.querySelectorAll('input, button')[place]?.focus();
  check_all.disabled = running !== null;
};

const drawn = (row) => {
  const property = row.result && row.result.data.properties[row.result.index];
  const verdict_now = row.pending
    ? el('span', { class: 'quiet' }, row.early || '\u2026')
    : row.error
      ? el('span', { class: 'verdict violated' }, '\u2717 error')
      : property
        ? el('span', { class: row.stale ? 'stale' : null }, verdict(property), row.stale ? el('span', { class: 'quiet' }, ' (before the change)') : null)
        : el('span', { class: 'quiet' }, 'not checked');
  const copy = row.kind === 'property' && row.formula && (row.shown === 'ltl' || row.shown === 'ctl');
  const act = (text, label, click, attributes) =>
    el('button', { type: 'button', class: 'link', 'aria-label': `${label} ${row.text}`, click, ...attributes }, text);
  return el(
    'tr',
    { 'aria-current': row === selected ? 'true' : null },
    el('td', { 'data-label': 'verdict' }, el('span', null, verdict_now, property && property.value !== null ? el('strong', null, ` = ${property.value}`) : null)),
    el(
      'td',
      { 'data-label': 'property' },
      el(
        'div',
        null,
        row.kind === 'property'
          ? [act(row.text, 'Show', () => select(row), { 'aria-label': null }), ' ', el('span', { class: 'quiet', title: row.shown === 'total' ? 'Whether every state has a next one' : null }, `(${row.shown})`), row.formula ? el('div', null, code(row.formula)) : null]
          : [editable(row), ' ', el('span', { class: 'quiet' }, `(${row.shown})`)],
        row.error ? el('div', { class: 'quiet' }, ...quoted(row.error)) : null,
        property && property.warnings.length ? el('div', null, act(`! ${count(property.warnings.length, 'warning')}`, `${count(property.warnings.length, 'warning')} about`, () => select(row))) : null,
      ),
    ),
    el(
      'td',
      { class: 'acts', 'data-label': 'ask' },
      el(
        'div',
        null,
        act('check', 'Check', () => whenRead(() => check([row]))),
        property && property.run ? act('show the run', 'Show the run of', () => select(row)) : row.kind === 'property' || !property ? null : act('show', 'Show', () => select(row)),
        row.fair && row.kind !== 'ctl' ? act('advise', 'Which fairness is needed for', () => whenRead(() => advise(row))) : null,
        copy ? act('edit a copy', 'Edit a copy of', () => edit(row)) : null,
        row.kind === 'property' ? null : act('remove', 'Remove', () => remove(row)),
      ),
    ),
  );
};

const edit = (row) => {
  kind.value = row.shown;
  formula.value = row.formula;
  formula.focus();
};

const remove = (row) => {
  rows = rows.filter((known) => known !== row);
  if (selected === row) selected = null;
  draw();
};

// Shows the answer of a row below.
export const select = (row, quietly) => {
  selected = row;
  draw();
  const tools = document.getElementById('run-tools');
  tools.replaceChildren();
  if (!row.result) {
    stop();
    document.getElementById('detail').replaceChildren(el('p', { class: 'quiet' }, 'Not checked yet.'));
    return;
  }
  Object.assign(data, row.result.data);
  if (!quietly) tell('show-run');
  choose(row.result.index, 0, true);
  if (data.properties[row.result.index].run && row.result.job !== null) {
    append(tools, [el('button', { type: 'button', class: 'tool', id: 'walk-on', click: () => walkOn(row) }, 'Walk on from this step')]);
  }
  if (!quietly) document.getElementById('detail').focus({ preventScroll: true });
};

const walkOn = async (row) => {
  const { job, index, asked: question } = row.result;
  const found = await post('follow', { job, result: index, step: page.step, ...question });
  if (found.error) return say(found.error);
  tell('walk', { path: found.path, row });
};

let batch = 0;

// In place of the number of a job that will begin.
const SOON = -1;

// Checks rows: the properties of the model in one go, each formula of one's own by itself, so that one that is wrong
// takes no other's answer away.
const check = async (wanted) => {
  if (!wanted.length || !bench.version) return;
  if (running !== null) await cancel();
  batch += 1;
  const own = batch;
  errors.replaceChildren();
  const stated = wanted.filter((row) => row.kind === 'property');
  const parts = [...(stated.length ? [stated] : []), ...wanted.filter((row) => row.kind !== 'property').map((row) => [row])];
  wanted.forEach((row) => Object.assign(row, { error: null, pending: SOON, early: null }));
  const done = [];
  for (const part of parts) {
    if (own !== batch) return;
    done.push(...(await ask(part, own)));
  }
  if (own !== batch || !done.length) return;
  say(told(done));
  const broken = done.find((row) => row.result.data.properties[row.result.index].run);
  select(done.includes(selected) ? selected : broken || done[0], true);
};

// Checks some rows in one job; those that have an answer.
const ask = async (list, own_batch) => {
  const fairness = bench.fair();
  const questions = list.map((row) => ({ kind: row.kind, text: row.text }));
  const begun = await post('check', { version: bench.version, questions, ...fairness });
  // Something else may have been asked meanwhile.
  if (own_batch !== batch) {
    if (!begun.error) post('cancel', { job: begun.job });
    return [];
  }
  if (begun.error) {
    list.forEach((row) => Object.assign(row, { pending: null }));
    draw();
    return [];
  }
  const own = begun.job;
  const begin = performance.now();
  running = own;
  // Rows may have been read anew.
  const same = (row) => (one) => one.kind === row.kind && one.text === row.text;
  list.forEach((row) => Object.assign(rows.find(same(row)) || row, { pending: own, early: null }));
  draw();
  const job = await finished(own, (now) => look(now, list));
  if (running === own) running = null;
  progress.hidden = running === null;
  // Meanwhile again, or they are being checked again.
  const known = (row) => rows.find((one) => same(row)(one) && one.pending === own);
  const now = list.map(known);
  now.filter(Boolean).forEach((row) => Object.assign(row, { pending: null, early: null }));
  const answer = job && job.answer;
  if (answer && answer.errors && list.length === 1 && now[0] && now[0].kind !== 'property') {
    Object.assign(now[0], { error: answer.errors[0].message, result: null });
  }
  if (answer && answer.errors) wrong(answer.errors);
  if (answer && answer.data) {
    now.forEach((row, index) => {
      if (row) Object.assign(row, { result: { data: answer.data, index, job: own, asked: { questions: [questions[index]], ...fairness } }, stale: row.edited > begin });
    });
    if (list[0].kind === 'property') remarks.replaceChildren(...answer.data.warnings.map((text) => el('p', { class: 'warning' }, ...quoted(text))));
  }
  draw();
  return now.filter((row) => row && row.result && row.result.job === own);
};

// Verdicts in words, for those who listen.
const told = (done) => {
  const words = done.map((row) => `${row.text}: ${row.result.data.properties[row.result.index].verdict}`);
  return words.length > 6 ? `${words.slice(0, 6).join('. ')}, and ${words.length - 6} more.` : `${words.join('. ')}.`;
};

const look = (job, list) => {
  progress.hidden = job.over && running === null;
  if (job.job !== running) return;
  progress.hidden = job.over;
  const parts = [
    job.states ? count(job.states, 'state') : null,
    job.depth ? `depth ${number(job.depth)}` : null,
    job.nodes ? count(job.nodes, 'node') : null,
    seconds(job.seconds),
    job.stage || null,
  ].filter(Boolean);
  words.textContent = parts.join(', ');
  const known = new Map(job.verdicts.map((v) => [v.name, v.verdict]));
  let fresh = false;
  job.names.forEach((name, index) => {
    const asked_now = list[index];
    const row = asked_now && rows.find((one) => one.kind === asked_now.kind && one.text === asked_now.text && one.pending === job.job);
    if (row && known.has(name) && row.early !== known.get(name)) {
      row.early = known.get(name);
      fresh = true;
    }
  });
  if (fresh) draw();
};

const cancel = async () => {
  batch += 1;
  rows.filter((row) => row.pending === SOON).forEach((row) => Object.assign(row, { pending: null }));
  draw();
  if (running === null) return;
  const job = running;
  running = null;
  progress.hidden = true;
  await post('cancel', { job });
};

const wrong = (list) => errors.replaceChildren(...list.map(mistake));

const advise = async (row) => {
  if (running !== null) await cancel();
  advice.replaceChildren(el('p', { class: 'quiet' }, 'Looking for the fairness that is needed\u2026'));
  const before = edits;
  errors.replaceChildren();
  const begun = await post('advise', { version: bench.version, by: bench.by || 'type', questions: [{ kind: row.kind, text: row.text }], fair: [], declared: false });
  if (begun.error) return advice.replaceChildren();
  running = begun.job;
  draw();
  const job = await finished(begun.job, (now) => look(now, []));
  if (running === begun.job) running = null;
  progress.hidden = running === null;
  draw();
  advice.replaceChildren();
  if (!job) return;
  if (job.answer.errors) return wrong(job.answer.errors);
  append(advice, job.answer.advice.map((one) => advised(one, job.answer.data)));
  if (edits !== before) outdate_advice();
  say(job.answer.advice.map((one) => one.lines.join(' ')).join(' '));
};

const advised = (one, runs) =>
  el(
    'section',
    { class: 'card advice', 'aria-label': `Fairness for ${one.heading}` },
    el('h3', null, `Fairness for ${one.heading}`),
    el('pre', null, one.lines.join('\n')),
    ...one.assignments.map((assignment) =>
      el(
        'p',
        null,
        el('button', { type: 'button', class: 'tool', click: () => assume(assignment.fairness) }, `Assume ${assignment.fairness.join(', ') || 'nothing'}`),
        ...assignment.because.map((index) => [
          ' ',
          el('button', { type: 'button', class: 'link', click: () => show_run(runs, index) }, `the run with less: ${runs.properties[index].about}`),
        ]),
      ),
    ),
  );

const show_run = (runs, index) => {
  Object.assign(data, runs);
  document.getElementById('run-tools').replaceChildren();
  tell('show-run');
  choose(index, 0, false);
};

export const forget = () => {
  rows = [];
  selected = null;
  stop();
  for (const place of [advice, errors, remarks, document.getElementById('detail'), document.getElementById('run-tools')]) place.replaceChildren();
  draw();
};

