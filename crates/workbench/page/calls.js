// Calls to the server, and what everybody knows: the model, its text, the chosen fairness.

import { el, quoted, shown } from './report.js';

// What everybody knows. `changed` parts are told by `tell`.
export const bench = {
  models: [],
  model: 0,
  // The number of the text that was understood last; null while it has errors.
  version: null,
  read: null,
  fair: () => ({ fair: [], declared: true }),
};

const listeners = new Map();
export const on = (event, act) => listeners.set(event, [...(listeners.get(event) || []), act]);
export const tell = (event, value) => (listeners.get(event) || []).forEach((act) => act(value));

export const trouble = (text) => {
  const place = document.getElementById('trouble');
  place.textContent = shown(text);
  place.hidden = !text;
};

// Something that those who listen should know.
export const say = (text) => {
  document.getElementById('news').textContent = shown(text);
};

// What is wrong with something that was typed, as an item of a list.
export const mistake = (found) =>
  el(
    'li',
    { class: 'error' },
    el('strong', null, 'error: '),
    ...quoted(found.message),
    found.place ? el('span', { class: 'quiet' }, ` at column ${found.place.column}`) : null,
    found.help ? el('span', { class: 'quiet' }, ' \u2014 ', ...quoted(found.help)) : null,
  );

const answered = async (asked) => {
  let response;
  try {
    response = await asked;
  } catch {
    trouble('The server does not answer: it was ended, or its address has changed.');
    throw new Error('no answer');
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    answer = { error: 'The server refused the call.' };
  }
  trouble(response.ok ? '' : answer.error || 'The call failed.');
  return answer;
};

export const get = (call) => answered(fetch(`api/${call}`));

export const post = (call, body) =>
  answered(
    fetch(`api/${call}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

const pause = (time) => new Promise((done) => setTimeout(done, time));

// Waits for a job; `look` is told how it goes. Null if the job is not known any more.
export const finished = async (number, look) => {
  for (let round = 0; ; round += 1) {
    const job = await get(`jobs/${number}`);
    if (job.error) return null;
    look(job);
    if (job.over) return job;
    await pause(round < 10 ? 60 : 250);
  }
};
