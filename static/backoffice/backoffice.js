// The back office works without this; it saves a few clicks.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    document.querySelectorAll("details.bo-menu[open]").forEach((menu) => {
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }
  moveAlongRows(event);
  if (event.key !== "/" || isTyping() || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.getElementById("bo-search");
  if (box) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});

// From row to row of a list, or of what a search has found. It moves the focus and does nothing else: Enter is the link's own. The
// arrows scroll the page until a row has the focus; j begins with the first row after what has it. Tab goes on from it as from any link.
const STEPS = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
const isTyping = () => /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");

const moveAlongRows = (event) => {
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = rowLinks(), from = document.activeElement, at = rows.indexOf(from);
  const next = at < 0
    ? event.key === "j" && !isTyping() && rows.find((link) => from.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING)
    : rows[Math.min(Math.max(at + step, 0), rows.length - 1)];
  if (!next) return;
  event.preventDefault();
  next.focus();
};

// Nothing of a page can have the focus before Alpine shows it: by then the browser may have given up.
document.addEventListener("alpine:initialized", () => requestAnimationFrame(() => {
  const first = document.querySelector("[autofocus]");
  if (document.activeElement === document.body) (rowLeft() ?? first)?.focus();
  // What is filled in already, such as all that can be refunded, is replaced by what is typed.
  if (first && first === document.activeElement && first.value === first.defaultValue) first.select?.();
}));

// A list that one comes back to begins where it was left: its entry of the history knows the row, or
// a link on the page of the row led here.
const ROW_LINKS = "#result_list tbody th a, .bo-results tbody td:first-child a";
const rowLinks = () => [...document.querySelectorAll(ROW_LINKS)];

const rowLeft = () => {
  const left = history.state?.row ?? (document.referrer && new URL(document.referrer).pathname);
  return rowLinks().find((link) => link.pathname === left);
};

document.addEventListener("click", (event) => {
  const link = rowLinks().find((each) => each.contains(event.target));
  if (link) history.replaceState({ ...history.state, row: link.pathname }, "");
});

document.addEventListener("click", (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent);
    copy.textContent = "Copied";
  }
  document.querySelectorAll("details.bo-menu[open]").forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
});

// A menu near the right edge opens to the left: it would widen the page.
document.addEventListener("toggle", (event) => {
  const list = event.target.matches("details.bo-menu") && event.target.querySelector("ul");
  if (!list) return;
  list.classList.remove("bo-leftward");
  const edge = document.documentElement.clientWidth;
  list.classList.toggle("bo-leftward", list.getBoundingClientRect().right > edge);
}, true);

// What changes by itself is looked at again, while the page is. This runs before there is a body.
setInterval(() => {
  if (!document.hidden && document.querySelector("[data-reload]")) location.reload();
}, 3000);

// A form is sent once: the second click of a double click finds the button switched off.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  event.target.querySelectorAll("button[type=submit]").forEach((button) => {
    setTimeout(() => { button.disabled = true; }, 0);
    setTimeout(() => { button.disabled = false; }, 8000);
  });
});

// What is left after an amount, while it is typed. Whole numbers only, as everywhere with money. A
// lone comma is the decimal point unless three digits follow, as the server reads it.
const smallest = (text, digits) => {
  const typed = text.trim().replace(/^B?\$/, "").replace(/^(\d+),(?!\d{3}$)(\d+)$/, "$1.$2");
  const found = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/.exec(typed);
  if (!found || (found[2] ?? "").length > digits) return null;
  return BigInt(found[1].replaceAll(",", "") + (found[2] ?? "").padEnd(digits, "0"));
};

const written = (amount, digits) => {
  const text = amount.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(\d{3})+$)/g, ",");
  return digits ? `${whole}.${text.slice(-digits)}` : whole;
};

document.addEventListener("input", (event) => {
  const output = document.querySelector(`output[for="${event.target.id}"]`);
  if (!output) return;
  const digits = Number(output.dataset.digits);
  const amount = smallest(event.target.value, digits);
  const left = amount === null ? -1n : BigInt(output.dataset.left) - amount;
  output.textContent = left < 0n ? "—" : output.dataset.sample.replace(/\d[\d,.]*/, written(left, digits));
});
