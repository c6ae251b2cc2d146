// Light or dark without loading the page again: what is typed, chosen or being sent stays.
// Without this script the form is sent as any other.
"use strict";

(() => {
  const form = document.querySelector("[data-switch-theme]");
  if (!form) return;

  const show = (chosen) => {
    if (chosen.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen.value;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button === chosen));
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(event.submitter);
    // The answer is a way back to this page, which is here already. Where it cannot be kept, the
    // choice holds for this page.
    const body = new FormData(form, event.submitter);
    fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
  });
})();
