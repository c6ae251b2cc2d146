// Draw the chart of a page with Plotly, in the colours of the page. Only pages with an open chart
// load this; without it, and in print, the picture that the server has drawn stays.
"use strict";

(() => {
  const root = document.querySelector("[data-interactive]");
  if (!root || !window.Plotly) return;
  const chart = root.querySelector("[data-chart]");
  const status = root.querySelector("[data-value]");
  const figure = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const narrow = matchMedia("(width < 40rem)");

  // Plotly reads neither custom properties nor every way to write a colour.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (name) => {
    const probe = chart.appendChild(document.createElement("i"));
    probe.style.color = `var(${name})`;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    probe.remove();
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  const coloured = (value) => {
    if (typeof value === "string") return /^--[a-z0-9-]+$/.test(value) ? colour(value) : value;
    if (Array.isArray(value)) return value.map(coloured);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, coloured(one)]));
  };

  const hidden = new Set();
  const draw = () => {
    const ink = colour("--ink");
    const axis = { gridcolor: colour("--line"), linecolor: colour("--rule"), zeroline: false };
    const { xaxis, yaxis, ...others } = figure.layout;
    const now = chart.layout ?? {};
    const layout = {
      ...others,
      font: { family: getComputedStyle(chart).fontFamily, size: 13, color: ink },
      paper_bgcolor: "rgba(0, 0, 0, 0)",
      plot_bgcolor: "rgba(0, 0, 0, 0)",
      hoverlabel: { bgcolor: colour("--sheet"), bordercolor: colour("--rule"), font: { color: ink } },
      margin: { l: narrow.matches ? figure.margin.narrow : figure.margin.wide, r: 12, t: 8, b: 44 },
      showlegend: false,
      dragmode: "zoom",
      // Where the reader has zoomed to, if the colours alone have changed.
      xaxis: { ...axis, ...xaxis, range: [...(now.xaxis?.range ?? xaxis.range)] },
      yaxis: { ...axis, ...yaxis, range: [...(now.yaxis?.range ?? yaxis.range)] },
    };
    const data = coloured(figure.data).map((trace) => ({
      ...trace,
      visible: !hidden.has(trace.legendgroup),
    }));
    const config = { displayModeBar: false, responsive: true, doubleClick: "reset" };
    return window.Plotly.react(chart, data, layout, config);
  };

  const zoom = (factor) => {
    const change = {};
    for (const name of ["xaxis", "yaxis"]) {
      const [start, end] = factor ? chart.layout[name].range : figure.layout[name].range;
      const middle = (start + end) / 2;
      const half = ((end - start) / 2) * (factor || 1);
      change[`${name}.range`] = [middle - half, middle + half];
    }
    window.Plotly.relayout(chart, change);
  };

  // The values, with the arrow keys: along a curve, and from one to the next.
  let at = { trace: 0, point: -1 };
  const read = (traceBy, pointBy) => {
    const shown = figure.data
      .map((trace, number) => ({ trace, number }))
      .filter(({ trace }) => trace.text && !hidden.has(trace.legendgroup));
    if (!shown.length) return;
    const place = (at.trace + traceBy + shown.length) % shown.length;
    const { trace, number } = shown[Math.min(place, shown.length - 1)];
    const point = Math.min(trace.text.length - 1, Math.max(0, at.point + pointBy));
    at = { trace: place, point };
    window.Plotly.Fx.hover(chart, [{ curveNumber: number, pointNumber: point }]);
    status.textContent = trace.text[point];
  };
  const KEYS = {
    ArrowRight: () => read(0, 1),
    ArrowLeft: () => read(0, -1),
    ArrowDown: () => read(1, 0),
    ArrowUp: () => read(-1, 0),
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => zoom(0),
  };
  chart.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  root.addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-zoom]");
    if (button) zoom(Number(button.dataset.zoom));
  });
  root.addEventListener("change", ({ target }) => {
    if (target.checked) hidden.delete(target.dataset.group);
    else hidden.add(target.dataset.group);
    draw();
  });

  root.hidden = false;
  draw().then(() => {
    root.parentElement.classList.add("is-interactive"); // hides the picture
    chart.on("plotly_hover", ({ points: [point] }) => {
      status.textContent = point.data.text?.[point.pointNumber] ?? "";
    });
    root.dataset.interactive = "ready";
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  narrow.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
})();
