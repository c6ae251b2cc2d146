// Warn before leaving a page with unsaved input.
// A form that is submitted by a script fires "saved" when it has been.
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
