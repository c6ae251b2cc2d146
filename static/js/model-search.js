// Search for a language model while its name is typed. Without this script the button does it.
"use strict";

(() => {
  const PAUSE = 200; // milliseconds after the last letter
  let timer;
  let request;

  const search = async (input) => {
    const choices = document.querySelector("[data-model-choices]");
    const chosen = choices.querySelector("input:checked");
    const query = new URLSearchParams({ models: input.value, chosen: chosen ? chosen.value : "" });
    request?.abort();
    request = new AbortController();
    try {
      const answer = await fetch(`${choices.dataset.modelChoices}?${query}`, { signal: request.signal });
      if (!answer.ok || answer.redirected) return; // signed out: sending the form says so
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = choices.querySelector("input:checked"); // may have changed meanwhile
      choices.replaceChildren(...page.body.childNodes);
      const same = [...choices.querySelectorAll("input")].find(({ value }) => now && value === now.value);
      if (same) same.checked = true;
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  };

  document.addEventListener("input", ({ target }) => {
    if (target.id !== "id_model_search") return;
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE, target);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "model-search") return;
    event.preventDefault(); // loading the page again would lose the chosen files
    clearTimeout(timer);
    search(document.getElementById("id_model_search"));
  });
})();
