// Colours: those of the system, or chosen.

const themes = ['system', 'light', 'dark'];
const theme = (name) => {
  if (name === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  document.getElementById('theme').textContent = `Colours: ${name}`;
  document.getElementById('theme').dataset.name = name;
};
document.getElementById('theme').addEventListener('click', (event) => {
  const now = event.currentTarget.dataset.name || 'system';
  theme(themes[(themes.indexOf(now) + 1) % themes.length]);
});
