// Uploading: drop files or folders, list them with their tasks, show progress, and keep the
// selection when the upload is refused. Without this script the form is submitted as usual.
"use strict";

(() => {
  const UNITS = ["", "KB", "MB"]; // of 1,024, as the cap is
  const PATH_CAP = 200; // characters; the server takes no more

  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  const made = (tag, properties, ...inside) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...inside);
    return node;
  };

  // The same format as on the server.
  const sizeText = (bytes) => {
    const power = Math.min(Math.floor(Math.log2(bytes || 1) / 10), UNITS.length - 1);
    const shown = (value, options) => new Intl.NumberFormat(document.documentElement.lang, options).format(value);
    if (!power) return shown(bytes, { style: "unit", unit: "byte", unitDisplay: "long" });
    const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    return `${shown(bytes / 1024 ** power, digits)}\u00a0${UNITS[power]}`;
  };

  // System files; the scorer ignores them as well.
  const isClutter = (path) => path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");

  const cleanPath = (path) => path.replace(/^\/+/, "").replace(/[\p{C}"]/gu, "_").slice(-PATH_CAP);

  // What a file's name says, by the server's patterns: the place of its task in the list, or -1; and
  // whether it is one part of several.
  const taskNamer = ({ patterns, tasks, titles }) => {
    const known = patterns.map((pattern) => new RegExp(`^(?:${pattern})$`, "i"));
    const order = Object.keys(titles);
    const squeezed = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
    return (path) => {
      const base = path.split("/").pop().replace(/\.gz$/i, "");
      const { groups } = known.map((pattern) => pattern.exec(base)).find(Boolean) || {};
      if (!groups) return { task: -1, part: false };
      return { task: order.indexOf(tasks[squeezed(groups.task)]), part: Boolean(groups.first || groups.piece) };
    };
  };

  // What a file is by its first bytes, as the server finds it: an archive may have any name, and
  // noise the name of one. `format` is that of a file without predictions.
  const sniffed = async (file, formats) => {
    const head = new Uint8Array(await file.slice(0, 4096).arrayBuffer());
    const text = String.fromCharCode(...head);
    const packed = text.startsWith("\x1f\x8b") && !/\.(jsonl?|ndjson|txt)\.gz$/i.test(file.name);
    if (packed || text.startsWith("PK") || text.slice(257, 262) === "ustar") return { archive: true };
    if (/\.(zip|tar|tgz)$/i.test(file.name) && /[\0-\x08]/.test(text)) return { broken: true };
    const known = Object.keys(formats).find((start) => text.startsWith(start));
    if (known) return { format: formats[known] };
    if (/^(\xef\xbb\xbf)?\s*<(!doctype|html|head|\?xml)/i.test(text)) return { format: "HTML" };
    if (/\.(csv|tsv)$/i.test(file.name) && !/^\s*[{[]/.test(text)) return { format: "CSV" };
    return {};
  };

  // File types that never contain predictions, whatever their bytes.
  const foreignEnding = (path) => /\.(pdf|docx?|xlsx?|pptx?|md|html?|png|jpe?g|gif|svg|py|ipynb)$/i.exec(path);

  // The place of the task that the name says or, where it says none, that the author has chosen.
  const taskIn = ({ task, given }) => (task >= 0 ? task : given);

  const entriesIn = async (folder) => {
    const reader = folder.createReader();
    const found = [];
    for (;;) { // it gives a hundred at a time, and none at the end
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return found;
      found.push(...some);
    }
  };

  const filesBelow = async (entry) => {
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      return [{ path: entry.fullPath, file }];
    }
    return (await Promise.all((await entriesIn(entry)).map(filesBelow))).flat();
  };

  // All dropped files. The entries have to be read before the first await.
  const dropped = async (transfer) => {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    if (!entries.length) return [...transfer.files].map((file) => ({ path: file.name, file }));
    return (await Promise.all(entries.map(filesBelow))).flat();
  };

  class Upload {
    constructor(form, chosen) {
      this.form = form;
      // path → { file, task and given: places in the list or -1, part, archive, broken, format }
      this.chosen = chosen;
      this.cap = Number(form.dataset.cap);
      this.most = Number(form.dataset.mostFiles);
      const names = JSON.parse(form.dataset.names);
      this.titles = Object.values(names.titles);
      this.tasks = Object.keys(names.titles);
      this.named = taskNamer(names);
      this.formats = names.formats;
      this.bar = form.querySelector("progress");
      this.listen();
      form.classList.add("live");
      form.querySelectorAll("[data-script]").forEach((one) => { one.hidden = false; });
      form.querySelectorAll("[data-plain]").forEach((one) => { one.hidden = true; });
      this.sending(false); // a browser that comes back to the page remembers a button that was off
      this.show();
    }

    part(name) { return this.form.querySelector(`[data-${name}]`); }

    say(name, values = {}) { return filled(this.form.dataset[`say${name}`], values); }

    announce(text) { this.part("live").textContent = text; }

    listen() {
      const drop = this.part("drop");
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submit();
      });
      this.form.addEventListener("change", ({ target }) => {
        if (target.type === "file") this.take(target);
        if (target.name === "keep") this.showVersion();
      });
      this.part("cancel").addEventListener("click", () => this.request.abort());
      drop.addEventListener("dragover", () => drop.classList.add("over"));
      drop.addEventListener("dragleave", (event) => {
        if (!drop.contains(event.relatedTarget)) drop.classList.remove("over");
      });
      drop.addEventListener("drop", async (event) => {
        drop.classList.remove("over");
        this.add(await dropped(event.dataTransfer));
        this.form.dispatchEvent(new Event("input", { bubbles: true })); // as choosing does
      });
    }

    // The chosen files

    take(input) {
      this.add([...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
      input.value = "";
    }

    async add(files) {
      for (const { path, file } of files.filter((one) => !isClutter(one.path))) {
        const name = this.named(path);
        const ending = foreignEnding(path);
        const found = ending ? { format: ending[1].toUpperCase() } : await sniffed(file, this.formats).catch(() => ({}));
        const given = this.chosen.get(cleanPath(path))?.given ?? -1;
        if (found.archive) name.task = -1;
        this.chosen.set(cleanPath(path), { file, given, ...name, ...found });
      }
      this.show();
    }

    remove(path) {
      this.chosen.delete(path);
      this.show();
      this.part("drop").querySelector("input").focus();
    }

    total() { return [...this.chosen.values()].reduce((sum, { file }) => sum + file.size, 0); }

    fault() {
      if (this.chosen.size > this.most) return this.say("TooMany");
      return this.total() > this.cap ? this.say("TooLarge") : "";
    }

    // Files whose task only the author knows, and has not chosen.
    unnamed() { return [...this.chosen.values()].filter((one) => taskIn(one) < 0 && !one.archive && !one.broken && !one.format); }

    broken() { return [...this.chosen.values()].filter(({ broken }) => broken); }

    foreign() { return [...this.chosen.values()].filter(({ format }) => format); }

    // Files that cannot be scored.
    hopeless() {
      const useless = this.unnamed().length + this.broken().length + this.foreign().length;
      return this.chosen.size && useless === this.chosen.size;
    }

    // Two whole files of one task: its title and their paths.
    twice() {
      const first = new Map();
      for (const [path, one] of this.chosen) {
        const task = taskIn(one);
        if (task < 0 || one.part || one.format) continue;
        if (first.has(task)) return { task: this.titles[task], one: first.get(task), other: path };
        first.set(task, path);
      }
      return null;
    }

    doubt() {
      if (this.broken().length) return this.say("NoArchive", { file: this.broken()[0].file.name });
      const onlyForeign = this.foreign().length === this.chosen.size;
      const [foreign] = this.foreign().filter((one) => onlyForeign || taskIn(one) >= 0);
      if (foreign) return this.say("IsFormat", { file: foreign.file.name, format: foreign.format });
      const files = this.unnamed().length;
      if (files && !this.hopeless()) return this.say("LeftOut", { files });
      if (files) return this.say(this.chosen.size === 1 ? "WhichTask" : "NoTasks");
      return this.twice() ? this.say("Twice", this.twice()) : "";
    }

    // In the order of the catalogue, then archives, then files without a task.
    inOrder() {
      // A file stays where it is while its task is chosen.
      const place = ({ task, archive }) => (task >= 0 ? task : this.titles.length + Number(!archive));
      return [...this.chosen].sort(([a, one], [b, other]) => place(one) - place(other) || (a < b ? -1 : 1));
    }

    show() {
      const list = this.part("chosen");
      list.hidden = !this.chosen.size;
      list.querySelector("tbody").replaceChildren(...this.inOrder().map((one) => this.row(one)));
      const text = this.say("Total", { files: this.chosen.size, size: sizeText(this.total()) });
      this.part("total").textContent = text;
      this.notice(...[this.fault()].filter(Boolean));
      // The menu for a single file: here each has its own, but nobody knows what is in an archive.
      this.part("single-task").hidden = ![...this.chosen.values()].some(({ archive }) => archive);
      if (this.part("single-task").hidden) this.form.elements.task.value = "";
      this.showVersion();
      const doubt = this.showDoubt();
      if (this.chosen.size) this.announce(`${text} ${doubt}`);
    }

    // What a new version will have: kept tasks, unless a new file replaces them.

    newTasks() {
      const found = new Map(); // place in the catalogue → path
      this.inOrder().forEach(([path, one]) => found.set(taskIn(one), path));
      found.delete(-1);
      return found;
    }

    showVersion() {
      const box = this.part("kept");
      if (!box) return;
      const added = this.newTasks();
      let unread = false;
      const by = { kept: [], replaced: [], dropped: [] };
      box.querySelectorAll("tbody tr").forEach((row) => {
        const task = this.tasks.indexOf(row.dataset.task);
        const file = added.get(task);
        const fate = file ? "replaced" : row.querySelector("input").checked ? "kept" : "dropped";
        if (task < 0) unread = true; // a file whose tasks are not known yet
        else by[fate].push(this.titles[task]);
        added.delete(task);
        row.dataset.fate = fate;
        row.querySelector("[data-fate-text]").textContent = this.say(`Fate${fate}`, { file });
      });
      const fresh = [...added.keys()].sort((a, b) => a - b).map((task) => this.titles[task]);
      const count = by.kept.length + by.replaced.length + fresh.length;
      const named = (name, titles) => titles.length ? this.say(name, { names: titles.join(this.say("Comma")) }) : "";
      this.part("holds").textContent = unread ? "" : [
        this.say("Holds", { count }),
        this.say("HoldsKept", { count: by.kept.length }),
        named("HoldsReplaced", by.replaced),
        named("HoldsNew", fresh),
        named("HoldsDropped", by.dropped),
        [...this.chosen.values()].some(({ archive }) => archive) ? this.say("HoldsUnread") : "",
      ].filter(Boolean).join(" ");
    }

    showDoubt() {
      const box = this.part("doubt");
      box.textContent = this.doubt();
      box.hidden = !box.textContent;
      return box.textContent;
    }

    // A text; or a menu, where only the author knows.
    taskCell(path, one) {
      if (one.broken) return this.say("Unreadable");
      if (one.archive) return this.say("Archive");
      if (one.format) return this.say("Format", { format: one.format });
      if (one.task >= 0) return this.titles[one.task];
      return this.taskMenu(path, one);
    }

    taskMenu(path, one) {
      const option = (value, textContent) => made("option", { value, textContent, selected: one.given === value });
      const menu = made("select", {}, option(-1, this.say("Choose")), ...this.titles.map((title, place) => option(place, title)));
      menu.setAttribute("aria-label", this.say("TaskOf", { file: path }));
      menu.dataset.taskFor = path;
      menu.addEventListener("change", () => {
        one.given = Number(menu.value);
        menu.parentElement.classList.toggle("partial", one.given < 0);
        this.showVersion();
        this.announce(this.showDoubt());
      });
      return menu;
    }

    row([path, one]) {
      const remove = made("button", { type: "button", className: "button quiet small", textContent: this.say("Remove") });
      remove.setAttribute("aria-label", `${this.say("Remove")}: ${path}`);
      remove.addEventListener("click", () => this.remove(path));
      return made(
        "tr", {},
        made("th", { scope: "row" }, made("bdi", { textContent: path })),
        made("td", { className: one.format || (taskIn(one) < 0 && !one.archive) ? "partial" : "" }, this.taskCell(path, one)),
        made("td", { className: "number", textContent: sizeText(one.file.size) }),
        made("td", {}, remove),
      );
    }

    // Upload

    submit() {
      if (this.part("send").disabled) return;
      if (this.fault()) this.failed(this.fault());
      else if (this.hopeless()) this.askForTask();
      else this.send(true);
    }

    // The first menu for a task, or what the page says about the files.
    askForTask() {
      this.announce(this.showDoubt());
      const menu = this.broken().length ? null : this.part("chosen").querySelector("select");
      (menu || this.part("doubt")).focus({ preventScroll: true });
      this.part("doubt").scrollIntoView({ block: "center" });
    }

    send(mayRenew) {
      const data = new FormData(this.form);
      data.delete("predictions");
      data.delete("folder");
      for (const [path, { file, task, given }] of this.chosen) {
        data.append("predictions", file, path);
        if (task < 0 && given >= 0) data.append(`task-for:${path}`, this.tasks[given]);
      }
      this.request = new XMLHttpRequest();
      this.request.open("POST", this.form.action);
      this.request.setRequestHeader("X-Requested-With", "XMLHttpRequest");
      this.request.upload.addEventListener("progress", (event) => this.progress(event));
      this.request.addEventListener("load", () => this.answered(mayRenew));
      this.request.addEventListener("error", () => this.failed(this.say("CutOff")));
      this.request.addEventListener("abort", () => this.failed(this.say("Cancelled")));
      this.notice();
      this.sending(true);
      this.request.send(data);
    }

    sending(is) {
      this.part("sending").hidden = !is;
      this.part("send").disabled = is;
      this.bar.value = 0;
      this.part("sent").textContent = "";
    }

    // Submitted. Coming back to this page shows a new form, not one that seems to be uploading.
    done() {
      document.dispatchEvent(new Event("saved"));
      window.addEventListener("pageshow", ({ persisted }) => persisted && window.location.reload());
    }

    progress({ loaded, total }) {
      const percent = Math.floor((100 * loaded) / total);
      const values = { size: sizeText(loaded), total: sizeText(total), percent };
      const text = loaded === total ? this.say("Checking") : this.say("Sent", values);
      const quarter = Math.floor(percent / 25) > Math.floor(this.bar.value / 25);
      if (quarter) this.announce(text); // each percent would be too much to listen to
      this.bar.value = percent;
      this.part("sent").textContent = text;
    }

    answered(mayRenew) {
      const { status, responseText } = this.request;
      if (status === 201) {
        this.done();
        window.location.assign(this.request.getResponseHeader("Location"));
        return;
      }
      const page = new DOMParser().parseFromString(responseText, "text/html");
      if (status === 403 && mayRenew) this.renew();
      else if (page.querySelector("form[data-upload]")) this.swap(page);
      else if (status === 200) this.failed(this.say("SignedOut")); // it was led to the sign-in
      else this.failed(...[...page.querySelectorAll("main h1, main p:not(.buttons)")].map((one) => one.textContent.trim()));
    }

    // Signing in in another tab invalidates the form's token: fetch a new one and retry.
    async renew() {
      const answer = await fetch(this.form.action);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const token = page.querySelector("form[data-upload] [name=csrfmiddlewaretoken]");
      if (token) {
        this.form.elements.csrfmiddlewaretoken.value = token.value;
        this.send(false);
      } else this.failed(this.say("SignedOut"));
    }

    // The same page with its errors; the files stay selected.
    swap(page) {
      document.querySelector("main").replaceWith(page.querySelector("main"));
      const fresh = new Upload(document.querySelector("form[data-upload]"), this.chosen);
      fresh.form.querySelector(".errors").focus();
    }

    failed(...texts) {
      this.sending(false);
      const box = this.notice(...(texts.length ? texts : [this.say("CutOff")]));
      box.focus();
      box.scrollIntoView({ block: "center" });
    }

    notice(...texts) {
      const box = this.part("notice");
      box.replaceChildren(...texts.map((textContent) => made("p", { textContent })));
      box.hidden = !texts.length;
      return box;
    }
  }

  const form = document.querySelector("form[data-upload]");
  if (form) new Upload(form, new Map());
  // A file dropped outside the zone must not replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
})();
