// The table of all properties.

const signs = { holds: '\u2713', violated: '\u2717', unknown: '?', computed: '=' };

const verdict = (property) =>
  el('span', { class: `verdict ${property.verdict}`, title: property.checked ? 'Checked: a program that does not search went through the proof' : null },
    `${signs[property.verdict] || ''} ${property.verdict}${property.checked ? ` (${property.checked})` : ''}`);

const listed = (items, render) =>
  items.map((item, i) => [i > 0 ? ', ' : null, render ? render(item) : item]).flat();

const titled = (property) => (property.about ? `${property.name}: ${property.about}` : property.name);

// Builds the overview; `choose` is called with the number of a property.
const overview = (choose) => {
  const tally = { violated: 0, unknown: 0, holds: 0, computed: 0 };
  for (const property of data.properties) tally[property.verdict] += 1;
  const words = Object.entries(tally)
    .filter(([, n]) => n > 0)
    .map(([word, n]) => `${n} ${word === 'holds' && n !== 1 ? 'hold' : word}`);
  const warnings = data.properties.reduce((sum, property) => sum + property.warnings.length, 0);
  if (warnings > 0) words.push(count(warnings, 'warning'));
  const cell = (label, attributes, ...children) =>
    el('td', { 'data-label': label, ...attributes }, ...children);
  const rows = data.properties.map((property, index) =>
    el(
      'tr',
      { id: `row-${index}` },
      cell('verdict', null, verdict(property)),
      cell(
        'property',
        null,
        el(
          'span',
          null,
          el('button', { type: 'button', class: 'link', click: () => choose(index) }, titled(property)),
          ' ',
          el('span', { class: 'quiet' }, `(${property.kind})`),
          property.value === null ? null : el('strong', null, ` = ${property.value}`),
          property.reason ? el('span', { class: 'quiet' }, ` ${property.reason}`) : null,
        ),
      ),
      cell('formula', { class: property.formula ? '' : 'empty' }, property.formula ? code(property.formula) : ''),
      cell(
        'fairness',
        { class: property.fairness.length ? '' : 'empty' },
        el('span', null, ...listed(property.fairness, code)),
      ),
      cell('engine', null, property.engine),
      cell('states', { class: 'number' }, number(property.states)),
      cell('time', { class: 'number' }, seconds(property.seconds)),
      cell(
        'warnings',
        { class: property.warnings.length ? '' : 'empty' },
        property.warnings.length ? `! ${count(property.warnings.length, 'warning')}` : '',
      ),
    ),
  );
  const heads = ['verdict', 'property', 'formula', 'fairness', 'engine', 'states', 'time', 'warnings'];
  const advises = data.advice.length > 0;
  const section = document.getElementById('overview');
  append(section, [
    el('h2', { id: 'overview-title' }, advises ? 'Which fairness is needed' : 'Properties'),
    advises ? null : el('p', null, words.length ? `${words.join(', ')}.` : 'Nothing was checked.'),
    ...data.warnings.map((text) => el('p', { class: 'warning' }, ...quoted(text))),
    ...data.advice.map((advice) => advised(advice, choose)),
    advises && rows.length ? el('h2', null, 'Runs that break the properties with less') : null,
    rows.length === 0
      ? null
      : el(
          'div',
          { class: 'wide', tabindex: '0', role: 'group', 'aria-label': 'Table of properties' },
          el(
            'table',
            { class: 'cards' },
            el('thead', null, el('tr', null, ...heads.map((name) => el('th', { scope: 'col' }, name)))),
            el('tbody', null, ...rows),
          ),
        ),
  ]);
};

// What stands between backquotes is code.
const quoted = (sentence) => sentence.split('`').map((part, i) => (i % 2 === 1 ? code(part) : part));

// What fairness is advised, with the runs that show why.
const advised = (advice, choose) =>
  el(
    'div',
    { class: 'card advice' },
    el('h3', null, advice.heading),
    el('pre', null, advice.lines.join('\n')),
    advice.because.length
      ? el(
          'ul',
          null,
          ...advice.because.map((number) =>
            el(
              'li',
              null,
              el(
                'button',
                { type: 'button', class: 'link', click: () => choose(number) },
                titled(data.properties[number]),
              ),
            ),
          ),
        )
      : null,
  );
