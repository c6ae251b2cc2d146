// One stop for the Tab key in a matrix of links; the arrow keys go from cell to cell.
// Without this script every cell is a stop.
"use strict";

for (const table of document.querySelectorAll("[data-arrows]")) {
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const rows = [...table.tBodies[0].rows];
  const links = [...table.tBodies[0].querySelectorAll("td a")];
  for (const link of links) link.tabIndex = -1;
  if (links.length) links[0].tabIndex = 0;

  const go = (from, to) => {
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  };

  table.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    let row = rows.indexOf(cell.parentElement);
    let column = cell.cellIndex;
    let found;
    do {
      row += step[0];
      column += step[1];
      found = rows[row]?.cells[column];
    } while (found?.tagName === "TD" && !found.querySelector("a"));
    const link = found?.tagName === "TD" && found.querySelector("a");
    if (link) go(event.target, link);
  });
}
