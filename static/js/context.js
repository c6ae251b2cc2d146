// Scroll through a text of any length: windows are fetched as one comes near them, and those far away
// are dropped. Without this script the page has links to the parts of the text before and after.
"use strict";

(() => {
  const MOST = 14; // windows in the document
  const MARGIN = 1.5; // heights of the pane, kept beyond what is in view
  const REST = 250; // milliseconds without scrolling
  const MOST_COPIED = 200000; // tokens
  const AT_ONCE = 20000; // tokens that the server gives
  // As in leaderboard/examples/context/text.py: characters that nobody sees, and ends of lines.
  const CONTROL =
    /(?<control>[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|\r(?!\n))|\n/gu;

  const make = (name, className, dataset) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    Object.assign(element.dataset, dataset);
    return element;
  };

  // Writes parts of a text into elements, one after another. A line has its number where it begins.
  const writer = (line, beginsLine) => {
    let isDue = beginsLine;
    const number = (parent) => {
      if (isDue && line) parent.append(make("i", "line", { line }));
      isDue = false;
    };
    return (parent, text) => {
      let place = 0;
      const plain = (end) => {
        if (end === place) return;
        number(parent);
        // As in HTML, where these are one end of a line; here the \n may come separately.
        parent.append(text.slice(place, end).replaceAll("\r\n", "\n").replace(/\r$/, ""));
      };
      for (const found of text.matchAll(CONTROL)) {
        const { control } = found.groups;
        if (!control && !line) continue; // ends of lines are only counted
        plain(found.index);
        number(parent);
        if (control) {
          const code = control.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
          parent.append(make("i", "control", { code }));
        } else {
          parent.append("\n");
          line += 1;
          isDue = true;
        }
        place = found.index + found[0].length;
      }
      plain(text.length);
    };
  };

  const start = (root) => {
    const { address } = root.dataset;
    const [total, step, lead] = ["total", "step", "lead"].map((name) => Number(root.dataset[name]));
    const { find } = root.dataset;
    const isNumbered = "lines" in root.dataset;
    const evidence = root.dataset.evidence
      .split(" ")
      .filter(Boolean)
      .map((span) => span.split("-").map(Number));
    const pane = root.querySelector("[data-pane]");
    const text = root.querySelector("[data-text]");
    const map = root.querySelector("[data-map]");
    const view = map.querySelector("[data-view]");
    const language = document.documentElement.lang;
    const whole = new Intl.NumberFormat(language);
    const tenths = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    let at = Number(root.dataset.at);
    let current = Number(root.querySelector("mark.current")?.dataset.character ?? -1);
    let turn = 0; // rises with each jump: what arrives later is of no use
    let isBusy = false;
    let settled = -1; // where the script has scrolled to
    let timer;

    const first = () => text.firstElementChild;
    const last = () => text.lastElementChild;
    const from = (block) => Number(block.dataset.from);
    const to = (block) => Number(block.dataset.to);

    // Windows

    const get = async (name, query) => {
      const answer = await fetch(`${address}${name}?${new URLSearchParams(query)}`);
      if (!answer.ok) throw new Error(answer.status);
      return answer.json();
    };

    const fetchBlock = async (start, end) => {
      const query = { from: start, tokens: end - start };
      if (find) query.q = find;
      return blockOf(await get("context", query));
    };

    // The same elements as the server's.
    const blockOf = (found) => {
      const [begin, end] = found.characters;
      // Places are counted in characters, of which some have two units here.
      const units = found.text.length === end - begin ? found.text : Array.from(found.text);
      const slice = (a, b) => {
        const part = units.slice(a - begin, b - begin);
        return typeof part === "string" ? part : part.join("");
      };
      const marks = evidence.map((span) => ({ span, kind: "evidence" }));
      const hits = found.hits ?? [];
      for (const span of hits) if (span[0] === current) marks.push({ span, kind: "current" });
      for (const span of hits) marks.push({ span, kind: "hit" });
      const near = marks.filter(({ span: [a, b] }) => a < end && b > begin);
      const edges = new Set([begin, end]);
      for (const { span } of near) for (const edge of span) if (edge > begin && edge < end) edges.add(edge);
      const places = [...edges].sort((a, b) => a - b);
      const block = make("span", "", { from: found.from, to: found.to });
      const write = writer(isNumbered ? found.line : 0, found.begins_line);
      for (let i = 0; i + 1 < places.length; i += 1) {
        const [a, b] = [places[i], places[i + 1]];
        const kinds = near.filter(({ span }) => span[0] <= a && b <= span[1]).map(({ kind }) => kind);
        const parent = kinds.length ? make("mark", [...new Set(kinds)].join(" "), { character: a }) : block;
        write(parent, slice(a, b));
        if (parent !== block) block.append(parent);
      }
      return block;
    };

    // What is below a change stays where it is on the screen.
    const changeAbove = (change) => {
      const below = pane.scrollHeight - pane.scrollTop;
      change();
      scrollTo(pane.scrollHeight - below);
    };

    const scrollTo = (place) => {
      pane.scrollTop = place;
      settled = pane.scrollTop;
    };

    // A jump may replace the text while a window is on its way: what no longer joins is let go.
    const fill = async () => {
      if (isBusy) return;
      isBusy = true;
      try {
        for (;;) {
          const margin = MARGIN * pane.clientHeight;
          const below = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
          const [above, end] = [first(), last()];
          if (below < margin && to(end) < total) {
            const block = await fetchBlock(to(end), Math.min(total, to(end) + step));
            if (end === last()) text.append(block);
          } else if (pane.scrollTop < margin && from(above) > 0) {
            const block = await fetchBlock(Math.max(0, from(above) - step), from(above));
            if (above === first()) changeAbove(() => text.prepend(block));
          } else {
            break;
          }
          drop();
        }
        root.dataset.context = "ready";
      } catch {
        // The next movement tries again.
      } finally {
        isBusy = false;
      }
    };

    const drop = () => {
      while (text.children.length > MOST) {
        const below = pane.scrollHeight - pane.clientHeight - pane.scrollTop;
        if (below > pane.scrollTop) last().remove();
        else changeAbove(() => first().remove());
      }
    };

    // Places

    const tokenAt = (height) => {
      const y = pane.getBoundingClientRect().top + height;
      for (const block of text.children) {
        const { top, bottom } = block.getBoundingClientRect();
        if (y < bottom) {
          const share = Math.max(0, Math.min(1, (y - top) / (bottom - top)));
          return Math.round(from(block) + share * (to(block) - from(block)));
        }
      }
      return to(last());
    };

    const lineOfSight = () => pane.clientHeight / 5;

    const showPlace = () => {
      const begin = (1000 * tokenAt(0)) / total;
      const end = (1000 * tokenAt(pane.clientHeight)) / total;
      const height = Math.max(4, end - begin);
      view.setAttribute("y", Math.min(begin, 1000 - height));
      view.setAttribute("height", height);
      root.querySelector("[data-token]").textContent = whole.format(at);
      root.querySelector("[data-percent]").textContent = tenths.format((100 * at) / total);
      map.setAttribute("aria-valuenow", Math.round((100 * at) / total));
      map.setAttribute("aria-valuetext", `${tenths.format((100 * at) / total)} %`);
    };

    const addressOf = (token) => {
      const query = new URLSearchParams(location.search);
      for (const name of ["go", "unit"]) query.delete(name);
      query.set("at", token);
      return `${location.pathname}?${query}#context`;
    };

    const rememberPlace = (isStep) => {
      const place = addressOf(at);
      root.querySelector("[data-here]").href = place;
      if (isStep) history.pushState(null, "", place);
      else history.replaceState(history.state, "", place);
    };

    // Show a token, or the mark that begins with a character, a little below the top.
    const jump = async (token, { character = -1, isStep = true } = {}) => {
      turn += 1;
      const mine = turn;
      current = character;
      const begin = Math.max(0, token - lead);
      const parts = [[token, Math.min(total, token + step)]];
      if (begin < token) parts.unshift([begin, token]);
      let blocks;
      try {
        blocks = await Promise.all(parts.map(([a, b]) => (a < b ? fetchBlock(a, b) : null)));
      } catch {
        location.assign(addressOf(token)); // where an error has a page
        return;
      }
      if (mine !== turn) return;
      text.replaceChildren(...blocks.filter(Boolean));
      at = token;
      scrollTo(0);
      await fill();
      if (mine !== turn) return;
      const target = text.querySelector("mark.current") ?? blocks.at(-1) ?? last();
      const { top, bottom } = target.getBoundingClientRect();
      const place = blocks.at(-1) ? top : bottom;
      scrollTo(pane.scrollTop + place - pane.getBoundingClientRect().top - lineOfSight());
      showPlace();
      rememberPlace(isStep);
      await fill();
    };

    // One after the other, however fast they are asked for.
    let steps = Promise.resolve();
    const stepToHit = (direction) => {
      steps = steps.then(() => showHit(direction)).catch(() => {});
    };

    const showHit = async (direction) => {
      const query = { q: find, limit: 1 };
      if (direction > 0) query.from = Math.min(total, at + 1);
      else query.before = at;
      const { hits } = await get("search", query);
      if (!hits.length) return;
      await jump(hits[0].token, { character: hits[0].characters[0] });
      const number = root.querySelector("[data-hit-number]");
      if (number) number.textContent = whole.format(hits[0].number);
    };

    // The page at another address, of which only the viewer is taken over.
    const open = async (place, { isStep = true, focus = "" } = {}) => {
      turn += 1;
      const mine = turn;
      root.setAttribute("aria-busy", "true");
      try {
        const answer = await fetch(place);
        if (!answer.ok) throw new Error(answer.status);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (mine !== turn) return;
        const viewer = page.querySelector("[data-context]");
        stop.abort();
        clearTimeout(timer);
        root.replaceWith(viewer);
        if (isStep) history.pushState(null, "", place);
        if (focus) document.getElementById(focus).focus({ preventScroll: true });
        start(viewer);
      } catch {
        location.assign(place);
      }
    };

    // What readers do

    const stop = new AbortController();
    const on = (element, name, act, options = {}) =>
      element.addEventListener(name, act, { ...options, signal: stop.signal });

    on(pane, "scroll", () => {
      fill();
      if (Math.abs(pane.scrollTop - settled) < 1) return;
      settled = -1;
      at = pane.scrollTop || from(first()) ? tokenAt(lineOfSight()) : 0;
      showPlace();
      clearTimeout(timer);
      timer = setTimeout(rememberPlace, REST, false);
    }, { passive: true });

    on(root, "click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const link = event.target.closest("a");
      if (!link) return;
      const { at: place, hit, characters, here, done } = link.dataset;
      if (hit !== undefined) stepToHit(Number(hit));
      else if (place !== undefined) jump(Number(place), { character: Number(characters ?? -1) });
      else if (here !== undefined) {
        copy(link.href).then(() => (link.textContent = done));
      } else return;
      event.preventDefault();
    });

    on(root, "submit", (event) => {
      if (!event.target.matches("[data-context-form]")) return;
      event.preventDefault();
      const fields = new FormData(event.target);
      const typed = String(fields.get("go") ?? "");
      const amount = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : NaN;
      if (fields.get("unit") === "token" && amount <= total) jump(Math.floor(amount));
      else if (fields.get("unit") === "percent" && amount <= 100) jump(Math.floor((total * amount) / 100));
      else {
        const focus = event.target.querySelector("input[id]").id;
        open(`${location.pathname}?${new URLSearchParams(fields)}#context`, { focus });
      }
    });

    on(pane, "keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Home") jump(0);
      else if (event.key === "End") jump(total);
      else if (find && event.key === "n") stepToHit(1);
      else if (find && event.key === "p") stepToHit(-1);
      else return;
      event.preventDefault();
    });

    on(window, "popstate", () => {
      if (addressOf(at).split("#")[0] !== location.pathname + location.search) open(location.href, { isStep: false });
    });

    // The picture of the whole text is its scroll bar, in place of links to its parts.

    for (const link of map.querySelectorAll("a")) link.remove();
    map.setAttribute("role", "slider");
    map.setAttribute("tabindex", "0");
    map.setAttribute("aria-label", map.dataset.label);
    map.setAttribute("aria-orientation", "vertical");
    map.setAttribute("aria-valuemin", "0");
    map.setAttribute("aria-valuemax", "100");
    const drag = (event) => {
      const { top, height } = map.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (event.clientY - top) / height));
      at = Math.min(total, Math.floor(share * total));
      const isEnd = event.type === "pointerup";
      clearTimeout(timer);
      if (isEnd) jump(at);
      else timer = setTimeout(() => jump(at, { isStep: false }), 60);
    };
    on(map, "pointerdown", (event) => {
      if (event.button) return;
      map.setPointerCapture(event.pointerId);
      drag(event);
    });
    on(map, "pointermove", (event) => {
      if (map.hasPointerCapture(event.pointerId)) drag(event);
    });
    on(map, "pointerup", (event) => {
      if (map.hasPointerCapture(event.pointerId)) drag(event);
    });
    const STEPS = { ArrowUp: -0.01, ArrowDown: 0.01, PageUp: -0.1, PageDown: 0.1, Home: -1, End: 1 };
    on(map, "keydown", (event) => {
      if (!(event.key in STEPS)) return;
      event.preventDefault();
      jump(Math.max(0, Math.min(total, Math.round(at + STEPS[event.key] * total))));
    });

    // Copying: the text as it is, without what only makes it readable.

    const copy = async (words) => {
      try {
        await navigator.clipboard.writeText(words);
      } catch {
        const field = document.body.appendChild(make("textarea", "visually-hidden"));
        field.value = words;
        field.select();
        document.execCommand("copy");
        field.remove();
      }
    };
    on(pane, "copy", (event) => {
      const chosen = document.getSelection();
      if (!chosen.rangeCount || !event.clipboardData) return;
      const part = chosen.getRangeAt(0).cloneContents();
      for (const sign of part.querySelectorAll("i.control")) {
        sign.replaceWith(String.fromCodePoint(parseInt(sign.dataset.code, 16)));
      }
      event.clipboardData.setData("text/plain", part.textContent);
      event.preventDefault();
    });
    const range = root.querySelector("[data-copy]");
    const button = range.querySelector("[data-copy-text]");
    range.elements.tokens.max = MOST_COPIED;
    button.hidden = false;
    on(button, "click", async () => {
      if (!range.reportValidity()) return;
      let place = Number(range.elements.from.value);
      const end = Math.min(total, place + Number(range.elements.tokens.value));
      const parts = [];
      while (place < end) {
        const found = await get("context", { from: place, tokens: Math.min(AT_ONCE, end - place) });
        parts.push(found.text);
        place = found.to;
      }
      await copy(parts.join(""));
      range.querySelector("output").textContent = button.dataset.done;
    });
    on(root.querySelector(".context-copy"), "toggle", () => {
      range.elements.from.value = at;
    });

    // These depend on the place, which changes.
    for (const link of root.querySelectorAll("a[data-hit]")) {
      link.href = "#context";
      link.removeAttribute("aria-disabled");
    }

    root.classList.add("is-live");
    const anchor = text.querySelector("[data-anchor]");
    if (anchor && at > from(first())) {
      const place = anchor.getBoundingClientRect().top - pane.getBoundingClientRect().top;
      scrollTo(pane.scrollTop + place - lineOfSight());
    }
    showPlace();
    fill();
  };

  for (const root of document.querySelectorAll("[data-context]")) start(root);
})();
