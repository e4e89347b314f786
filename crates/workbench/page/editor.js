// The text of the model with line numbers, and what is wrong with it.

import { append, code, count, el, quoted } from './report.js';
import { bench, on, post, say, tell } from './calls.js';

const LINE = 20;
const WAIT = 300;

const text = el('textarea', {
  id: 'text',
  spellcheck: 'false',
  autocapitalize: 'off',
  autocomplete: 'off',
  wrap: 'off',
  'aria-label': 'Text of the model',
  'aria-describedby': 'found',
});
const numbers = el('div', { class: 'numbers', 'aria-hidden': 'true' });
const marks = el('div', { class: 'marks', 'aria-hidden': 'true' });
const found = el('ul', { id: 'found', class: 'found' });
const state = el('p', { class: 'quiet', id: 'reading' });
const revert = el('button', { type: 'button', class: 'tool', click: () => load(bench.models[bench.model].text) }, 'As in the file');
const download = el('button', { type: 'button', class: 'tool', click: () => save() }, 'Download');

export const build = () => {
  append(document.getElementById('model'), [
    el('h2', { id: 'model-title' }, 'Model'),
    el('div', { class: 'editor' }, marks, numbers, text),
    state,
    found,
    el('div', { class: 'filters' }, revert, download),
  ]);
  text.addEventListener('input', () => edited());
  text.addEventListener('scroll', () => align(), { passive: true });
  text.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      tell('check-all');
    }
  });
  on('by', () => read());
};

const save = () => {
  const address = URL.createObjectURL(new Blob([text.value], { type: 'text/plain' }));
  const link = el('a', { href: address, download: bench.models[bench.model].name.split(/[\\/]/).pop() });
  link.click();
  URL.revokeObjectURL(address);
};

const align = () => {
  numbers.scrollTop = text.scrollTop;
  marks.style.transform = `translateY(${-text.scrollTop}px)`;
};

let lines = 0;
const count_lines = () => {
  const now = text.value.split('\n').length;
  if (now !== lines) {
    lines = now;
    numbers.textContent = Array.from({ length: now }, (_, i) => i + 1).join('\n') + '\n\n';
  }
};

// Shows another text.
export const load = (value) => {
  text.value = value;
  text.scrollTop = 0;
  edited(true);
};

let timer = null;
const edited = (at_once) => {
  count_lines();
  align();
  revert.disabled = text.value === bench.models[bench.model].text;
  bench.version = null;
  tell('edited');
  if (timer !== null) clearTimeout(timer);
  timer = setTimeout(read, at_once ? 0 : WAIT);
};

let turn = 0;
const read = async () => {
  turn += 1;
  const own = turn;
  state.textContent = 'Reading\u2026';
  const answer = await post('read', { model: bench.model, text: text.value, by: bench.by || 'type' });
  // Meanwhile something else may have been typed.
  if (own !== turn) return;
  show(answer.diagnostics || []);
  bench.version = answer.version || null;
  bench.read = answer.version ? answer : bench.read;
  tell('read', answer.version ? answer : null);
};

const own_file = (place) => place && place.file === bench.models[bench.model].name;

const show = (diagnostics) => {
  const errors = diagnostics.filter((d) => d.severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const words = [errors ? count(errors, 'error') : null, warnings ? count(warnings, 'warning') : null].filter(Boolean);
  const summary = words.length ? `${words.join(', ')}.` : 'No errors.';
  state.textContent = summary;
  if (errors) say(`${summary} ${diagnostics[0].message}`);
  text.setAttribute('aria-invalid', errors ? 'true' : 'false');
  found.replaceChildren(
    ...diagnostics.slice(0, 50).map((d) =>
      el(
        'li',
        { class: d.severity },
        el('strong', null, `${d.severity}: `),
        ...quoted(d.message),
        d.place
          ? [
              ' ',
              own_file(d.place)
                ? el('button', { type: 'button', class: 'link', click: () => go(d.place.line, d.place.column) }, `line ${d.place.line}`)
                : el('span', { class: 'quiet' }, `${d.place.file}:${d.place.line}`),
            ]
          : null,
        d.help ? el('span', { class: 'quiet' }, ' \u2014 ', ...quoted(d.help)) : null,
      ),
    ),
  );
  mark(diagnostics.filter((d) => own_file(d.place)).map((d) => [d.place.line, d.severity]));
};

let wrong = [];
let here = [];
const mark = (list) => {
  wrong = list;
  paint();
};

const paint = () => {
  const stripe = ([line, kind]) => {
    const row = el('div', { class: `stripe ${kind}` });
    row.style.top = `${(line - 1) * LINE}px`;
    return row;
  };
  marks.replaceChildren(...[...here, ...wrong].map(stripe));
};

// Marks lines that a step stands on, and brings the first into view.
export const point = (places) => {
  here = places.filter((place) => own_file(place) && place.line).map((place) => [place.line, 'step']);
  paint();
  if (here.length) into_view(here[0][0]);
};

const into_view = (line) => {
  const top = (line - 1) * LINE;
  if (top < text.scrollTop || top + 2 * LINE > text.scrollTop + text.clientHeight) {
    text.scrollTop = Math.max(0, top - text.clientHeight / 2);
  }
  align();
};

const go = (line, column) => {
  const before = text.value.split('\n').slice(0, line - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + Math.max(0, (column || 1) - 1);
  text.focus();
  text.setSelectionRange(at, at);
  into_view(line);
};

// The text of a place, as a link into the editor where it stands there.
export const placed = (file, line) => {
  if (!line) return null;
  return own_file({ file })
    ? el('button', { type: 'button', class: 'link small', click: () => go(line) }, `line ${line}`)
    : el('span', { class: 'quiet' }, code(`${file}:${line}`));
};
