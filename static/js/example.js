// Keys of the page of one example: j and k lead to the next and the previous one, / to the search
// in the context, ? to the list of these keys. Readers can switch them off there.
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

  const follow = (rel) => document.querySelector(`[data-neighbours] a[rel="${rel}"]`)?.click();
  const KEYS = {
    j: () => follow("next"),
    k: () => follow("prev"),
    "/": () => document.querySelector("#context-find")?.focus(),
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
