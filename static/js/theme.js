// Switch between light and dark without a reload, so that typed text and uploads are kept.
// Without this script the form is submitted as usual.
"use strict";

(() => {
  const form = document.querySelector("[data-switch-theme]");
  if (!form) return;
  const menu = form.closest("details");

  const show = (chosen) => {
    if (chosen.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen.value;
    for (const button of form.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button === chosen));
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary").focus();
    show(event.submitter);
    // The response only redirects back to this page. If the choice cannot be saved, it is valid for
    // this page only.
    const body = new FormData(form, event.submitter);
    fetch(form.action, { method: "POST", body, redirect: "manual", keepalive: true }).catch(() => {});
  });

  // Close the menu as people expect it of one.
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
  document.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });
})();
