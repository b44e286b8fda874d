"use strict";

// ReDoc reads its colours once, from an attribute: those for light or dark mode are put there.
const reference = document.querySelector("redoc");
const themes = JSON.parse(reference.dataset.themes);
const darkMode = matchMedia("(prefers-color-scheme: dark)");

document.documentElement.classList.toggle("dark", darkMode.matches);
reference.setAttribute("theme", JSON.stringify(darkMode.matches ? themes.dark : themes.light));
darkMode.addEventListener("change", () => location.reload());
