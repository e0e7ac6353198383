"use strict";
// Sorts a table by the column of the button that was pressed: largest first, then smallest first.
// Cells without a number stay last; rows stay inside their part of the table.
function sortBy(table, button) {
  const head = button.closest("th");
  const falling = head.getAttribute("aria-sort") !== "descending";
  const column = Number(button.dataset.column);
  const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const numeric = !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
    const order = numeric ? Number(x) - Number(y) : x.localeCompare(y);
    return falling ? -order : order;
  };
  for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  for (const body of table.tBodies) {
    const fixed = [...body.rows].filter((row) => row.classList.contains("subhead"));
    const moving = [...body.rows].filter((row) => !row.classList.contains("subhead"));
    body.append(...fixed, ...moving.sort(compare));
  }
}
for (const table of document.querySelectorAll("table.sortable")) {
  for (const button of table.querySelectorAll("th button")) {
    button.addEventListener("click", () => sortBy(table, button));
  }
}
