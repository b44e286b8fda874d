// The back office works without this; it saves a few clicks.
"use strict";

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.getElementById("bo-search");
  if (box) {
    event.preventDefault();
    box.focus();
    box.select();
  }
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

// A form is sent once: the second click of a double click finds the button switched off.
document.addEventListener("submit", (event) => {
  event.target.querySelectorAll("button[type=submit]").forEach((button) => {
    setTimeout(() => { button.disabled = true; }, 0);
    setTimeout(() => { button.disabled = false; }, 8000);
  });
});
