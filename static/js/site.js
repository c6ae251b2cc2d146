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

// Apply the filters of a list as soon as they are chosen, without losing the place on the page.
// Without this script the form has a button.
(() => {
  const PAUSE = 300; // milliseconds after the last letter of a search
  const FORM = "form[data-applies-at-once]";
  let timer;
  let request;
  let shown = location.pathname + location.search;

  const start = () => {
    for (const form of document.querySelectorAll(FORM)) form.dataset.live = "";
  };

  // The same field on the page that has arrived.
  const again = (field) => {
    const name = CSS.escape(field.name);
    const isChoice = ["checkbox", "radio"].includes(field.type);
    const value = isChoice ? `[value="${CSS.escape(field.value)}"]` : "";
    return field.name && document.querySelector(`[name="${name}"]:not([type="hidden"])${value}`);
  };

  const show = (html) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const open = [...document.querySelectorAll("main details[open][data-facet]")];
    const isOpen = document.querySelector(`details:has(${FORM})`)?.open;
    const field = document.activeElement;
    document.title = page.title;
    const main = document.querySelector("main");
    main.removeAttribute("aria-busy");
    main.replaceChildren(...page.querySelector("main").childNodes);
    for (const { dataset } of open) {
      document.querySelector(`[data-facet="${dataset.facet}"]`)?.setAttribute("open", "");
    }
    const folded = document.querySelector(`details:has(${FORM})`);
    if (folded && isOpen) folded.open = true;
    const same = field && again(field);
    if (same) {
      same.focus({ preventScroll: true });
      if (same.type === "search") {
        same.value = field.value;
        same.setSelectionRange(field.selectionStart, field.selectionEnd);
      }
    }
    start();
  };

  const apply = async (form) => {
    clearTimeout(timer);
    request?.abort();
    request = new AbortController();
    const query = new URLSearchParams(new FormData(form));
    const address = `${location.pathname}?${query}`;
    document.querySelector("main").setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { signal: request.signal });
      if (!answer.ok) throw new Error(answer.status);
      const html = await answer.text();
      if (answer.url !== location.href) history.pushState(null, "", answer.url);
      shown = location.pathname + location.search;
      show(html);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(address);
    }
  };

  document.addEventListener("change", ({ target }) => {
    if (target.type !== "search" && target.form?.matches(FORM)) apply(target.form);
  });
  document.addEventListener("input", ({ target }) => {
    if (target.type !== "search" || !target.form?.matches(FORM)) return;
    clearTimeout(timer);
    timer = setTimeout(apply, PAUSE, target.form);
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(FORM)) return;
    event.preventDefault();
    apply(event.target);
  });
  addEventListener("popstate", () => {
    // Not for a mere #, nor where another script keeps the address.
    const isOther = location.pathname + location.search !== shown;
    if (isOther && document.querySelector(FORM)) location.reload();
  });

  // Close an open choice as people expect it of a menu.
  const menus = () => document.querySelectorAll("main .choice[open]");
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const menu of menus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", ({ target }) => {
    for (const menu of menus()) if (target.isConnected && !menu.contains(target)) menu.open = false;
  });

  start();
})();
