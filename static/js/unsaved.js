// Leaving a page asks first where something is typed or chosen in a form of it that would be lost.
// A form that sends itself by a script says "saved" when it has been.
"use strict";

(() => {
  const ask = (event) => event.preventDefault(); // the browser then asks in its own words
  const keep = () => window.addEventListener("beforeunload", ask);
  const free = () => window.removeEventListener("beforeunload", ask);

  document.addEventListener("input", ({ target }) => {
    if (target.closest("[data-unsaved]")) keep();
  });
  window.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (target.matches("[data-unsaved]") && !defaultPrevented) free();
  });
  document.addEventListener("saved", free);
  if (document.querySelector('[data-unsaved="returned"]')) keep(); // with what is wrong
})();
