// Ranks the methods by practicality under the weights of the sliders, which always sum to 1.
function weigh(panel) {
  const sliders = [...panel.querySelectorAll("input[type=range]")];
  const outputs = [...panel.querySelectorAll("output")];
  const body = panel.querySelector("tbody");
  const status = panel.querySelector("[role=status]");
  const rows = [...body.rows].map((row) => ({ row, parts: row.dataset.parts.split(",").map(Number) }));
  const numbers = (text) => text.split(",").map(Number);
  let weights = numbers(panel.dataset.weights);
  const show = () => {
    const per = weights.map((weight) => `${Math.round(100 * weight)}%`);
    sliders.forEach((slider, i) => {
      slider.value = weights[i];
      slider.setAttribute("aria-valuetext", per[i]);
      outputs[i].textContent = per[i];
    });
    for (const entry of rows) {
      entry.score = entry.parts.reduce((sum, value, i) => sum + weights[i] * value, 0);
      entry.row.querySelector(".score .value").textContent = entry.score.toFixed(3);
      entry.row.querySelector(".bar div").style.width = `${100 * entry.score}%`;
    }
    rows.sort((a, b) => b.score - a.score);
    body.append(...rows.map((entry) => entry.row));
    const best = rows.filter((entry) => rows[0].score - entry.score < 1e-9).map((entry) => entry.row.cells[0].textContent);
    status.textContent = `${best.join(" and ")} ${best.length > 1 ? "come" : "comes"} first, with ${rows[0].score.toFixed(3)}.`;
    for (const button of panel.querySelectorAll("[data-preset]")) {
      const near = numbers(button.dataset.preset).every((weight, i) => Math.abs(weight - weights[i]) < 5e-3);
      button.setAttribute("aria-pressed", String(near));
    }
  };
  sliders.forEach((slider, moved) => {
    slider.addEventListener("input", () => {
      const value = Number(slider.value);
      const rest = 1 - weights[moved];
      weights = weights.map((weight, i) => {
        if (i === moved) return value;
        return rest > 1e-9 ? (weight / rest) * (1 - value) : (1 - value) / 2;
      });
      show();
    });
  });
  for (const button of panel.querySelectorAll("[data-preset]")) {
    button.addEventListener("click", () => {
      weights = numbers(button.dataset.preset);
      show();
    });
  }
  panel.querySelector("fieldset").hidden = false;
  show();
}
for (const panel of document.querySelectorAll(".weights")) weigh(panel);
