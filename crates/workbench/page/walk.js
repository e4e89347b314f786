// A walk through the states: steps by process, back, breadcrumbs, watched variables, who cannot move and why, the
// automaton of a property beside it.

import { append, AutomatonPanel, code, count, cut, el, quoted } from './report.js';
import { bench, on, post, say, tell } from './calls.js';
import { asked, current, temporal } from './properties.js';
import { placed, point } from './editor.js';

const walk = { path: [], answer: null, row: null, before: null, chosen: false };
const watched = new Set();

const crumbs = el('ol', { class: 'crumbs', 'aria-label': 'The way here' });
const choices = el('div', { id: 'choices' });
const blocked = el('div', { id: 'blocked' });
const variables = el('div', { id: 'variables' });
const fairness = el('div');
const automaton = el('div', { id: 'walk-automaton' });
const title = el('h3', { id: 'where', tabindex: '-1' }, 'Walk');
const property = el('select', { id: 'beside', change: () => beside() });
const back = el('button', { type: 'button', class: 'tool', id: 'back', click: () => go(walk.path.slice(0, -1)) }, 'Back');
const restart = el('button', { type: 'button', class: 'tool', id: 'restart', click: () => go([]) }, 'From the beginning');

export const build = () => {
  const panel = document.getElementById('panel-walk');
  append(panel, [
    el(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'Walk' },
      restart,
      back,
      el('span', null, el('label', { for: 'beside' }, 'Beside it: '), property),
      el('span', { class: 'quiet' }, el('kbd', null, '1'), '\u2013', el('kbd', null, '9'), ' take a step, ', el('kbd', null, 'b'), ' goes back'),
    ),
    crumbs,
    el(
      'div',
      { class: 'board walk' },
      el('section', { class: 'card chart-free', 'aria-labelledby': 'where' }, title, choices, blocked),
      el('div', { class: 'stack' }, el('section', { class: 'card', 'aria-label': 'Variables here' }, el('h3', null, 'Variables'), variables), fairness, automaton),
    ),
  ]);
  // The keys are those of the panel in front, wherever the focus is, but where something is typed.
  document.addEventListener('keydown', (event) => {
    const at = event.target instanceof Element ? event.target : null;
    const types = at && at.closest('input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]');
    if (panel.hidden || types || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'b' && !back.disabled) go(walk.path.slice(0, -1));
    else if (/^[1-9]$/.test(event.key)) choices.querySelectorAll('button.step')[Number(event.key) - 1]?.click();
    else return;
    event.preventDefault();
  });
  on('read', (answer) => {
    list_properties();
    if (answer && !panel.hidden) go(walk.path);
  });
  on('fairness', () => !panel.hidden && go(walk.path));
  on('walk', ({ path, row }) => {
    list_properties();
    if (row && row.fair) set_property(row);
    tell('show-walk');
    go(path, true);
  });
  on('walk-shown', () => {
    list_properties();
    const first = current() && current().fair ? current() : temporal()[0];
    if (!walk.chosen && first) set_property(first);
    go(walk.path);
  });
  on('model', () => Object.assign(walk, { path: [], answer: null, row: null, chosen: false }));
};

const key = (row) => `${row.kind} ${row.text}`;

const list_properties = () => {
  const now = walk.row ? key(walk.row) : '';
  const all = temporal();
  property.replaceChildren(el('option', { value: '' }, 'no automaton'), ...all.map((row) => el('option', { value: key(row) }, cut(row.text, 40))));
  walk.row = all.find((row) => key(row) === now) || null;
  property.value = walk.row ? now : '';
};

const set_property = (row) => {
  walk.row = temporal().find((known) => key(known) === key(row)) || null;
  property.value = walk.row ? key(walk.row) : '';
};

const beside = () => {
  walk.chosen = true;
  walk.row = temporal().find((row) => key(row) === property.value) || null;
  go(walk.path);
};

let turn = 0;
// Goes along a path; `enter` brings the focus into the panel.
const go = async (path, enter) => {
  if (!bench.version) return;
  turn += 1;
  const own = turn;
  const answer = await post('walk', { version: bench.version, path, ...asked(walk.row) });
  if (own !== turn) return;
  if (answer.error) {
    choices.replaceChildren(el('p', { class: 'warning' }, answer.error));
    return;
  }
  const inside = enter || document.getElementById('panel-walk').contains(document.activeElement);
  walk.before = walk.answer && walk.answer.state;
  walk.answer = answer;
  walk.path = answer.path;
  draw(answer);
  // Whoever pressed a step goes on with the next one.
  if (inside && !document.activeElement.closest('select')) (choices.querySelector('button.step') || title).focus();
};

const draw = (answer) => {
  const { crumbs: way } = answer;
  const last = way[way.length - 1];
  const words = answer.initial
    ? `${count(answer.choices.length + answer.more, 'initial state')}`
    : way.length === 1
      ? 'Initial state'
      : `After step ${way.length - 1}: ${last.process ? `${last.process}: ` : ''}${last.action}`;
  title.textContent = cut(words, 120);
  back.disabled = walk.path.length === 0 || (walk.path.length === 1 && !answer.initial && walk.path[0] === 0);
  draw_crumbs(way);
  draw_choices(answer);
  draw_blocked(answer);
  draw_variables(answer);
  draw_fairness(answer);
  draw_automaton(answer);
  point(last && last.line ? [last] : []);
  say(`${words}. ${answer.end || count(answer.choices.length + answer.more, 'step')}${answer.end ? '' : ' can be taken.'}`);
};

const NEAR = 12;

const draw_crumbs = (way) => {
  const crumb = (one, at) =>
    el(
      'li',
      { 'aria-current': at === way.length - 1 ? 'step' : null },
      el(
        'button',
        { type: 'button', class: 'link', title: one.process ? `${one.process}: ${one.action}` : one.action, click: () => go(walk.path.slice(0, at + 1)) },
        at === 0 ? 'initial state' : `${at}. ${one.process ? `${one.process}: ` : ''}${cut(one.action, 28)}`,
      ),
    );
  const all = way.map(crumb);
  const hidden = all.length - NEAR - 1;
  crumbs.replaceChildren(...(hidden > 0 ? [all[0], el('li', { class: 'quiet' }, `\u2026 ${hidden} more \u2026`), ...all.slice(hidden + 1)] : all));
};

const draw_choices = (answer) => {
  const groups = new Map();
  for (const choice of answer.choices) {
    const who = choice.process || '';
    groups.set(who, [...(groups.get(who) || []), choice]);
  }
  let place = 0;
  const step = (choice) => {
    place += 1;
    const changes = choice.changes.slice(0, 6).map(([name, value]) => `${name} = ${value}`);
    const inputs = choice.inputs.map(([name, value]) => `${name} = ${value}`);
    const text = choice.action || (answer.initial ? `initial state ${choice.number + 1}` : 'a step');
    return el(
      'li',
      null,
      el(
        'button',
        { type: 'button', class: 'step', click: () => go([...walk.path, choice.number]) },
        place <= 9 ? el('kbd', null, String(place)) : null,
        ' ',
        code(cut(text, 90)),
        choice.processes.length > 1 ? el('span', { class: 'quiet' }, ` with ${choice.processes.filter((name) => name !== choice.process).join(', ')}`) : null,
        inputs.length ? el('span', { class: 'quiet' }, ` inputs ${inputs.join(', ')}`) : null,
        el('span', { class: 'effect' }, choice.stays ? 'stays here' : changes.length ? cut(changes.join('; '), 110) : 'no variable changes'),
        choice.fault ? el('span', { class: 'verdict violated' }, ` \u2717 ${choice.fault}`) : null,
      ),
      ' ',
      placed(choice.file, choice.line),
    );
  };
  const parts = [];
  for (const [who, list] of groups) {
    parts.push(el('h4', null, who || (answer.initial ? 'Choose an initial state' : 'Steps')), el('ul', { class: 'plain' }, ...list.map(step)));
  }
  if (answer.more) parts.push(el('p', { class: 'quiet' }, `${count(answer.more, 'more step')} not listed.`));
  for (const fault of answer.faults) parts.push(el('p', { class: 'verdict violated' }, `\u2717 ${fault}`));
  if (answer.end) parts.push(el('p', { class: 'warning' }, answer.end));
  choices.replaceChildren(...parts);
};

const MOST_BLOCKED = 24;

const draw_blocked = (answer) => {
  const stuck = (answer.processes || []).filter((process) => !process.moves);
  if (!stuck.length || (answer.processes.length === 1 && !stuck[0].obstacles.length)) return blocked.replaceChildren();
  const reasons = (process) =>
    process.obstacles.length
      ? el(
          'ul',
          null,
          ...process.obstacles.map((one) => el('li', null, code(cut(one.action || 'a step', 70)), ': ', ...quoted(one.reason), ' ', placed(one.file, one.line))),
        )
      : el('p', { class: 'quiet' }, 'No step of it is possible here; the model says no more.');
  blocked.replaceChildren(
    el('h4', null, 'Cannot move here'),
    ...stuck.slice(0, MOST_BLOCKED).map((process) => el('details', { class: 'why', open: stuck.length <= 4 }, el('summary', null, 'Why is ', code(process.name), ' blocked?'), reasons(process))),
    stuck.length > MOST_BLOCKED ? el('p', { class: 'quiet' }, `${stuck.length - MOST_BLOCKED} more.`) : '',
  );
};

const draw_variables = (answer) => {
  const state = answer.state || [];
  const old = new Map(walk.before || []);
  const row = ([name, value]) => {
    const before = old.get(name);
    const changed = walk.before && before !== undefined && before !== value;
    const box = el('input', {
      type: 'checkbox',
      checked: watched.has(name),
      'aria-label': `Watch ${name}`,
      change: () => {
        if (watched.has(name)) watched.delete(name);
        else watched.add(name);
        draw_variables(walk.answer);
        variables.querySelector(`input[aria-label="${CSS.escape(`Watch ${name}`)}"]`)?.focus();
      },
    });
    return el(
      'tr',
      { class: changed ? 'changed' : null },
      el('td', null, box),
      el('td', null, name),
      el('td', null, cut(value, 200), changed ? el('span', { class: 'quiet' }, ` (was ${cut(before, 60)})`) : null),
    );
  };
  const table = (label, list) =>
    el(
      'div',
      { class: 'vars', tabindex: '0', role: 'group', 'aria-label': label },
      el('table', null, el('thead', null, el('tr', null, ...['watch', 'variable', 'value'].map((name) => el('th', { scope: 'col' }, name)))), el('tbody', null, ...list.map(row))),
    );
  const own = state.filter(([name]) => watched.has(name));
  const others = state.filter(([name]) => !watched.has(name));
  variables.replaceChildren(
    ...(own.length ? [el('h4', null, 'Watched'), table('Watched variables', own)] : []),
    ...(own.length && others.length ? [el('h4', null, 'Others')] : []),
    others.length ? table('Variables', others.slice(0, 400)) : '',
    state.length ? '' : el('p', { class: 'quiet' }, 'Choose an initial state.'),
  );
};

const draw_fairness = (answer) => {
  const list = answer.fairness || [];
  if (!list.length) return fairness.replaceChildren();
  const takers = (one) => one.takers.map((n) => answer.choices.find((c) => c.number === n)).filter(Boolean);
  fairness.replaceChildren(
    el(
      'section',
      { class: 'card', 'aria-label': 'Fairness here' },
      el('h3', null, 'Fairness here'),
      el(
        'div',
        { class: 'vars', tabindex: '0', role: 'group', 'aria-label': 'Fairness here' },
        el(
          'table',
          null,
          el('thead', null, el('tr', null, ...['assumed', 'here', 'taken by'].map((name) => el('th', { scope: 'col' }, name)))),
          el('tbody', null, ...list.map((one) => el('tr', null, el('td', null, one.assumption), el('td', { class: 'keep' }, one.now), el('td', null, takers(one).map((c) => cut(c.action, 30)).join(', '))))),
        ),
      ),
    ),
  );
};

const draw_automaton = (answer) => {
  if (!answer.automaton) {
    automaton.replaceChildren(...(walk.row ? [el('p', { class: 'card quiet' }, 'There is no automaton to show beside this walk.')] : []));
    return;
  }
  const panel = new AutomatonPanel({ automaton: answer.automaton, entry: null });
  panel.show(answer.crumbs.length - 1, 1);
  automaton.replaceChildren(panel.element);
};
