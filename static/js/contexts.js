// Search the other contexts of a task too, one share after another; without this script a link goes on.
"use strict";

(async () => {
  const list = document.querySelector("[data-found]");
  if (!list) return;
  for (let link; (link = document.querySelector("a[data-more]")); ) {
    const answer = await fetch(link.href);
    if (!answer.ok) return; // the link stays
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    list.append(...page.querySelector("[data-found]").children);
    document.querySelector("[data-progress]").replaceWith(page.querySelector("[data-progress]"));
    document.querySelector("[data-none]").hidden = Boolean(list.children.length || page.querySelector("a[data-more]"));
  }
})();
