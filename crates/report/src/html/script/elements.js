// Elements. Text comes to the page here and only as text: nothing is ever read as markup.

// What is shown; filled by those who know.
const data = { files: [], properties: [], advice: [], warnings: [] };

// Characters that cannot be seen, or that change the order of others, are shown by their numbers.
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;
const shown = (text) =>
  String(text).replace(
    unseen,
    (c) => '\u27e8U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '\u27e9',
  );

const append = (node, children) => {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
  return node;
};

const set = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : shown(value));
  }
  return node;
};

const el = (tag, attributes, ...children) =>
  append(set(document.createElement(tag), attributes), children);

const svg = (tag, attributes, ...children) =>
  append(set(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes), children);

const code = (text) => el('code', null, text);

const count = (number, one, many) =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many || one + 's'}`;

const seconds = (value) => {
  if (value < 0.0001) return '< 0.1 ms';
  return value < 0.01 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(2)} s`;
};

const bytes = (value) =>
  value >= 1 << 20 ? `${(value / (1 << 20)).toFixed(1)} MB` : `${Math.ceil(value / 1024)} kB`;

// A text that fits into so many characters. What is cut out stood in the middle, nearer to its beginning:
// names of channels and processes begin alike, and what is sent or assigned stands at the end.
const cut = (text, most) => {
  const all = Array.from(shown(text));
  if (all.length <= most) return all.join('');
  const kept = Math.max(most - 1, 1);
  const head = Math.floor(kept / 3);
  return `${all.slice(0, head).join('')}\u2026${all.slice(all.length - (kept - head)).join('')}`;
};

const width = (text) => Array.from(text).length * 7.3;

const prefersStill = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
