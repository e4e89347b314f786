// The page of a report: the property and the step that the address names, colours, and the beginning.

Object.assign(data, JSON.parse(document.getElementById('data').textContent));

page.moved = () => {
  try {
    history.replaceState(null, '', `#property-${page.property}-step-${page.step}`);
  } catch {
    // Some places where pages are shown allow no history.
  }
};

// The property and the step that the address names.
const named = () => {
  const place = /^#property-(\d+)(?:-step-(\d+))?$/.exec(location.hash);
  return place && data.properties[Number(place[1])] ? [Number(place[1]), Number(place[2] || 0)] : null;
};

window.addEventListener('hashchange', () => {
  const place = named();
  if (place) choose(...place);
});

const start = () => {
  const name = shown(data.model);
  document.title = `${name} \u2013 Evenhand`;
  document.getElementById('title').textContent = name;
  document.getElementById('subtitle').textContent = shown(`${data.language}, checked by Evenhand ${data.version}`);
  document.getElementById('footer').textContent = 'Everything is in this file; it loads nothing. Every run shown was replayed on the model and judged by code that shares nothing with the search.';
  overview(choose);
  const violated = data.properties.findIndex((property) => property.run);
  const [number, step] = named() || [Math.max(violated, 0), 0];
  if (data.properties.length) choose(number, step, true);
};

start();
