// Which fairness is assumed: item by item, declared by the model or not, and what is advised.

import { append, code, count, el, listed } from './report.js';
import { bench, mistake, on, post, tell } from './calls.js';
import { examples } from './examples.js';

const LEVELS = ['none', 'weak', 'strong'];

// What is chosen, by the text of the weak assumption, so that it survives another reading.
const chosen = new Map();
// Assumptions that were typed.
let typed = [];

const items = el('tbody');
const note = el('p', { class: 'quiet' });
const declared = el('input', { type: 'checkbox', id: 'declared', checked: true, change: () => { draw(); changed(); } });
const declared_words = el('span');
const again = el('input', { type: 'checkbox', id: 'again', checked: true });
const by = el(
  'select',
  {
    id: 'by',
    change: () => {
      bench.by = by.value;
      tell('by');
    },
  },
  ...['type', 'instance', 'label'].map((name) => el('option', { value: name }, name)),
);
const other = el('input', { id: 'other', class: 'field code', spellcheck: 'false', 'aria-describedby': 'other-found' });
const mistakes = el('ul', { class: 'found', id: 'other-found', role: 'alert' });
const others = el('ul', { class: 'plain' });
const all = el(
  'select',
  { id: 'all', 'aria-label': 'Every item at once', change: () => every(all.value) },
  el('option', { value: '' }, 'choose\u2026'),
  ...LEVELS.map((level) => el('option', { value: level }, level)),
);

export const checks_again = () => again.checked;

export const build = () => {
  append(document.getElementById('fairness'), [
    el('h2', { id: 'fairness-title' }, 'Fairness'),
    el('p', null, el('label', { for: 'declared' }, declared, ' what the model declares: '), declared_words),
    el(
      'div',
      { class: 'vars', tabindex: '0', role: 'group', 'aria-label': 'Fairness item by item' },
      el(
        'table',
        null,
        el('thead', null, el('tr', null, ...['item', ...LEVELS].map((name) => el('th', { scope: 'col' }, name)))),
        items,
      ),
    ),
    note,
    el(
      'div',
      { class: 'filters' },
      el('span', null, el('label', { for: 'all' }, 'All items: '), all),
      el('span', null, el('label', { for: 'by' }, 'by '), by),
    ),
    el(
      'form',
      {
        class: 'filters',
        submit: (event) => {
          event.preventDefault();
          add(other.value.trim());
        },
      },
      el('label', { for: 'other' }, 'Another:'),
      other,
      el('button', { type: 'submit', class: 'tool' }, 'Assume'),
    ),
    mistakes,
    others,
    el('p', null, el('label', { for: 'again' }, again, ' check again when this changes')),
  ]);
  bench.fair = () => ({ fair: assumed(), declared: declared.checked });
  on('read', (answer) => answer && show(answer));
  on('model', () => {
    other.placeholder = examples().fairness;
    blame([]);
  });
};

// Says what is wrong with the assumption that was typed.
const blame = (list) => {
  mistakes.replaceChildren(...list.map(mistake));
  other.setAttribute('aria-invalid', list.length ? 'true' : 'false');
};

// Assumes what was typed, if it means something in this model.
const add = async (text) => {
  blame([]);
  if (!text || typed.includes(text)) return;
  if (!bench.version) return blame([{ message: 'the model has errors: nothing can be assumed' }]);
  const answer = await post('assume', { version: bench.version, fair: [text] });
  if (answer.error) return blame([{ message: answer.error }]);
  // Meanwhile it may have been typed again.
  if (answer.errors.length || typed.includes(text)) return blame(answer.errors);
  typed.push(text);
  if (other.value.trim() === text) other.value = '';
  list_typed();
  changed();
};

const list_typed = () => {
  others.replaceChildren(
    ...typed.map((text) =>
      el(
        'li',
        null,
        code(text),
        ' ',
        el(
          'button',
          {
            type: 'button',
            class: 'link',
            'aria-label': `Do not assume ${text}`,
            click: () => {
              typed = typed.filter((known) => known !== text);
              list_typed();
              changed();
            },
          },
          'remove',
        ),
      ),
    ),
  );
};

let candidates = [];
let declarations = [];

const assumed = () => [
  ...candidates.filter((c) => chosen.has(c.weak)).map((c) => c[chosen.get(c.weak)]),
  ...typed,
];

const changed = () => tell('fairness');

// Of a condition there is one kind: it holds again and again.
const single = (candidate) => candidate.weak === candidate.strong;

const set = (candidate, level) => {
  if (level === 'none') chosen.delete(candidate.weak);
  else chosen.set(candidate.weak, single(candidate) ? 'weak' : level);
};

const every = (level) => {
  if (!level) return;
  candidates.forEach((candidate) => set(candidate, level));
  all.value = '';
  draw();
  changed();
};

// What the model itself assumes of an item, while that counts.
const stated = (candidate) => {
  if (!declared.checked) return null;
  if (declarations.includes(candidate.weak)) return 'weak';
  return declarations.includes(candidate.strong) ? 'strong' : null;
};

const draw = () => {
  items.replaceChildren(
    ...candidates.map((candidate, number) => {
      const now = chosen.get(candidate.weak) || 'none';
      const own = stated(candidate);
      const one = single(candidate);
      const radio = (level) => {
        if (one && level === 'strong') return el('td');
        const choice = el('input', {
          type: 'radio',
          name: `item-${number}`,
          value: level,
          checked: level === now,
          'aria-label': `${candidate.name}: ${one && level === 'weak' ? 'assumed' : level}`,
          change: () => {
            set(candidate, level);
            changed();
          },
        });
        return el('td', null, choice);
      };
      const mark = own ? el('span', { class: 'quiet' }, one ? ' (declared)' : ` (declared ${own})`) : null;
      return el('tr', null, el('td', null, code(candidate.name), mark), ...LEVELS.map(radio));
    }),
  );
};

const show = (answer) => {
  candidates = answer.candidates || [];
  declarations = answer.declared || [];
  const none = !declarations.length;
  declared.disabled = none;
  declared_words.replaceChildren();
  append(declared_words, none ? [el('span', { class: 'quiet' }, 'nothing')] : listed(declarations, code));
  const words = answer.more_candidates ? `${count(answer.more_candidates, 'more item')} not listed: type them below.` : '';
  note.textContent = candidates.length ? words : 'This model has no items: conditions can be typed below.';
  draw();
};

// Chooses what was advised; what is no item is typed.
export const assume = (texts) => {
  chosen.clear();
  typed = [];
  declared.checked = false;
  for (const text of texts) {
    const weak = candidates.find((c) => c.weak === text);
    const strong = candidates.find((c) => c.strong === text);
    if (weak) chosen.set(weak.weak, 'weak');
    else if (strong) chosen.set(strong.weak, 'strong');
    else typed.push(text);
  }
  draw();
  list_typed();
  changed();
};
