// Keys of lists of examples and of the page of one: j and k lead to the next and the previous
// example, / to the words that filter the list or the search in the context, ? to the list of these keys.
// Readers can switch them off there.
"use strict";

(() => {
  const help = document.querySelector("[data-keys]");
  if (!help) return;
  const box = help.querySelector("input");
  const OFF = "keys-off";
  const stored = (change) => {
    try {
      return change(localStorage);
    } catch {
      return null; // no storage in this browser: the choice holds for this page
    }
  };

  help.hidden = false;
  box.checked = stored((storage) => storage.getItem(OFF)) === null;
  box.addEventListener("change", () => {
    stored((storage) => (box.checked ? storage.removeItem(OFF) : storage.setItem(OFF, "1")));
  });

  // Of a list the links to its examples, and last to its next page; of one example there are none.
  const stops = [...document.querySelectorAll("[data-stops] th > a:first-child, a[data-last-stop]")];
  const follow = (rel) => document.querySelector(`[data-neighbours] a[rel="${rel}"]`)?.click();
  const go = (by) => {
    const here = stops.findIndex((link) => link.closest("tr, nav").contains(document.activeElement));
    stops[Math.min(Math.max(here + by, 0), stops.length - 1)].focus();
  };
  const KEYS = {
    j: () => (stops.length ? go(1) : follow("next")),
    k: () => (stops.length ? go(-1) : follow("prev")),
    "/": () => document.querySelector("#context-find, .example-filter [name=words]")?.focus(),
    "?": () => {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus();
    },
  };
  document.addEventListener("keydown", (event) => {
    if (!box.checked || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    event.preventDefault();
    KEYS[event.key]();
  });
})();
