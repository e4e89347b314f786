// The workbench: which model, which of the panels, and the beginning.

import { el, shown } from './report.js';
import { bench, get, on, tell } from './calls.js';
import * as editor from './editor.js';
import * as properties from './properties.js';
import * as fairness from './fairness.js';
import * as walk from './walk.js';
import * as graph from './graph.js';

const tabs = ['run', 'walk', 'graph'];
const tab = (name) => document.getElementById(`tab-${name}`);

const open = (name, focus) => {
  for (const other of tabs) {
    const chosen = other === name;
    tab(other).setAttribute('aria-selected', String(chosen));
    tab(other).tabIndex = chosen ? 0 : -1;
    document.getElementById(`panel-${other}`).hidden = !chosen;
  }
  if (focus) tab(name).focus();
};

tabs.forEach((name, i) => {
  tab(name).addEventListener('click', () => {
    open(name);
    tell(`${name}-shown`);
  });
  tab(name).addEventListener('keydown', (event) => {
    const moves = { ArrowRight: 1, ArrowLeft: -1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const next = tabs[(i + moves[event.key] + tabs.length) % tabs.length];
    open(next, true);
    tell(`${next}-shown`);
  });
});

// The panels are below the model: what was asked for is brought into sight.
const bring = () => {
  const list = document.querySelector('.tabs');
  if (list.getBoundingClientRect().top > window.innerHeight / 2) list.scrollIntoView({ block: 'start' });
};
on('show-run', () => {
  open('run');
  bring();
});
on('show-walk', () => {
  open('walk');
  bring();
});
// A panel that was empty has its height when it is drawn.
on('drawn', bring);

const models = document.getElementById('models');

const choose = (number) => {
  bench.model = number;
  const { name } = bench.models[number];
  document.title = `${shown(name)} \u2013 Evenhand`;
  document.getElementById('title').textContent = shown(name);
  properties.forget();
  tell('model');
  editor.load(bench.models[number].text);
};

const start = async () => {
  editor.build();
  properties.build();
  fairness.build();
  walk.build();
  graph.build();
  bench.models = (await get('models')).models;
  models.append(...bench.models.map((model, i) => el('option', { value: String(i) }, model.name)));
  models.addEventListener('change', () => choose(Number(models.value)));
  models.hidden = bench.models.length < 2;
  document.getElementById('models-label').hidden = models.hidden;
  choose(0);
};

start();
