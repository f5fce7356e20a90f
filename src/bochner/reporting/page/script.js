"use strict";
(() => {
  const summary = JSON.parse(document.getElementById("summary").textContent);

  // Theme: the choice of the reader, kept where the browser allows it.
  const remembered = () => { try { return localStorage.getItem("bochner-theme"); } catch { return null; } };
  const remember = (name) => { try { localStorage.setItem("bochner-theme", name); } catch { /* a page without storage */ } };
  const applyTheme = (name) => {
    if (name === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
  };
  const themes = [...document.querySelectorAll("#theme input")];
  const wanted = themes.find((input) => input.value === remembered());
  if (wanted) { wanted.checked = true; applyTheme(wanted.value); }
  for (const input of themes) input.addEventListener("change", () => { applyTheme(input.value); remember(input.value); });

  // Values under the pointer, or by arrow keys when a chart has the focus.
  const tip = document.getElementById("tip");
  let active = null;
  const hide = () => { tip.hidden = true; if (active) active.classList.remove("active"); active = null; };
  const show = (mark) => {
    if (active) active.classList.remove("active");
    active = mark;
    mark.classList.add("active");
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const box = mark.getBoundingClientRect();
    const left = box.left + box.width / 2 + 12;
    tip.style.left = `${Math.max(4, Math.min(left, innerWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${Math.max(4, box.top - tip.offsetHeight - 8)}px`;
  };
  const distance = (mark, event) => {
    const box = mark.getBoundingClientRect();
    const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
    const dy = mark.matches(".bar") ? 0 : Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
    return Math.hypot(dx, dy);
  };
  for (const chart of document.querySelectorAll(".chart")) {
    const marks = [...chart.querySelectorAll("[data-tip]")];
    if (!marks.length) continue;
    chart.addEventListener("pointermove", (event) => {
      const nearest = marks.reduce((best, mark) => {
        const away = distance(mark, event);
        return away < best.away ? { mark, away } : best;
      }, { mark: null, away: 40 });
      if (nearest.mark) show(nearest.mark); else hide();
    });
    chart.addEventListener("pointerleave", hide);
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === "Escape") hide();
      if (!step) return;
      event.preventDefault();
      const at = marks.indexOf(active);
      show(marks[at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length]);
    });
  }
  addEventListener("scroll", hide, { passive: true });

  // Features needed: the smallest m with pairs * 2 exp(-rate m (eps / k(0))^2) <= delta, as bochner.theory finds it.
  const smallestInteger = (holds) => {
    let high = 1;
    while (!holds(high)) { high *= 2; if (high > 2 ** 52) return null; }
    let low = Math.floor(high / 2);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle; else low = middle;
    }
    return high;
  };
  const featuresNeeded = (bounds, bound, pairs, eps, delta) => {
    const scaled = eps / bounds.k_zero;
    const holds = (m) => Math.min(1, pairs * 2 * Math.exp(-bound.rate * m * scaled ** 2)) <= delta;
    const m = smallestInteger(holds);
    return m === null ? null : m * bounds.columns;
  };
  const form = document.getElementById("calculator");
  if (form) {
    const bounds = summary.approximation.bounds;
    const curve = summary.approximation.curve;
    const problem = document.getElementById("problem");
    const fields = {
      eps: ["eps must be a positive number.", (v) => v > 0 && v < Infinity],
      delta: ["delta must be between 0 and 1.", (v) => v > 0 && v < 1],
      rows: ["rows must be a whole number, at least 1.", (v) => v >= 1 && Number.isInteger(v)],
    };
    const measured = (eps) => {
      if (curve.missing) return "";
      const at = curve.largest.findIndex((_, i) => curve.largest.slice(i).every((error) => error <= eps));
      const found = at < 0 ? "no width that was tried" : `${curve.widths[at].toLocaleString("en")} features`;
      return `Measured with these frequencies: ${found} kept every pair of ${curve.n_rows.toLocaleString("en")} rows within eps.`;
    };
    const update = () => {
      const values = {};
      const wrong = [];
      for (const [name, [message, valid]] of Object.entries(fields)) {
        const input = document.getElementById(name);
        values[name] = input.value === "" ? NaN : Number(input.value);
        const good = valid(values[name]);
        input.setAttribute("aria-invalid", String(!good));
        if (!good) wrong.push(message);
      }
      problem.hidden = wrong.length === 0;
      problem.textContent = wrong.join(" ");
      const n = values.rows;
      const all = bounds.with_diagonal ? n * (n + 1) / 2 : n * (n - 1) / 2;
      for (const output of form.querySelectorAll("output")) {
        const pairs = output.dataset.pairs === "one" ? 1 : all;
        const width = wrong.length ? null : featuresNeeded(bounds, bounds.bounds[output.dataset.bound], pairs, values.eps, values.delta);
        output.textContent = width === null ? "–" : width.toLocaleString("en");
      }
      document.getElementById("measured").textContent = wrong.length ? "" : measured(values.eps);
    };
    form.addEventListener("input", update);
    update();
  }

  // The numbers of the report, for other programs.
  document.getElementById("copy").addEventListener("click", async () => {
    const said = document.getElementById("copied");
    try { await navigator.clipboard.writeText(JSON.stringify(summary)); said.textContent = "Copied."; }
    catch { said.textContent = "The browser does not allow it here."; }
  });
})();
