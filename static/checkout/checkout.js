/* The checkout works without this file, up to the passkey. What it adds: one submit only, a clock,
   pages that turn by themselves, a redirect that can be stopped, and a keypad. Words come from the page, in its language. */
"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const show = (element, yes = true) => { if (element) element.hidden = !yes; };
const page = one("main");

/* One click is one submit; the page may come back from the browser's memory and is then new. Where
   no answer comes, and an app's browser says nothing, it can be pressed again: nothing is paid twice. */
for (const form of all("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    const early = event.submitter?.hasAttribute("aria-disabled");
    if (early && !form.dataset.sent) settle();
    if (early || form.dataset.sent || isFirstOffline()) { event.preventDefault(); return; }
    form.dataset.sent = "yes";
    const button = one("[data-busy]", form);
    busy(button);
    setTimeout(() => {
      delete form.dataset.sent;
      if (button) idle(button);
    }, 20000);
  });
}
/* Without a network the browser shows a page of its own, and what was typed is gone. A second press is
   sent, as some browsers take themselves for offline when they are not. */
const offline = one("[data-offline]");
addEventListener("online", () => show(offline, false));
function isFirstOffline() {
  if (navigator.onLine || !offline?.hidden) return false;
  show(offline);
  offline.scrollIntoView({ block: "center" });
  return true;
}
function busy(button) {
  if (!button) return;
  button.kept = [...button.childNodes];
  button.textContent = button.dataset.busy;
  button.setAttribute("aria-disabled", "true");
  const spinner = document.createElement("span");
  spinner.className = "spinner";
  button.prepend(spinner);
}
function idle(button) {
  if (!button.kept) return; // it was pressed before this script was there
  button.replaceChildren(...button.kept);
  button.removeAttribute("aria-disabled");
}
/* A press that pays by itself counts once the page has been in front for half a second: another
   site's window above it may close between the two clicks of a double-click. One beside a PIN pays
   by itself where the browser has filled the PIN in. One that comes too early begins anew. */
const bare = all("form[data-bare]");
let settling = 0;
function settle() {
  clearTimeout(settling);
  const buttons = bare.filter((form) => !form.dataset.sent).map((form) => one("[data-busy]", form));
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  settling = setTimeout(() => {
    for (const button of buttons) if (!button.form.dataset.sent) button.removeAttribute("aria-disabled");
  }, 500);
}
if (bare.length) {
  settle();
  addEventListener("keydown", (event) => { // a key that is held presses again and again
    const presses = event.key === "Enter" || event.key === " ";
    if (event.repeat && presses && event.target.closest("form[data-bare]")) event.preventDefault();
  });
  addEventListener("focus", settle);
  document.addEventListener("visibilitychange", settle);
}

addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

/* A page that answers a form directly takes the address of one that can be asked for again. */
if (page.dataset.instead) history.replaceState(null, "", page.dataset.instead);

/* What is wrong comes first; else the only field of the page. */
(one("[data-focus]") ?? one("[data-first] input:not([type=hidden], [hidden])"))?.focus();

/* Show and hide a PIN. */
for (const button of all("[data-peek]")) {
  const input = document.getElementById(button.dataset.peek);
  const words = button.textContent;
  show(button);
  button.addEventListener("click", () => {
    const open = input.type === "password";
    input.type = open ? "text" : "password";
    button.setAttribute("aria-pressed", String(open));
    button.textContent = open ? button.dataset.hide : words;
    input.focus();
  });
  button.form.addEventListener("submit", () => { input.type = "password"; });
}

/* The time that is left, whatever the clock of this device says: ticks for the eye, speaks at 5
   minutes, at 1 and at the end. */
for (const line of all("[data-until]")) {
  const until = Date.parse(line.dataset.until) - Date.parse(line.dataset.now) + Date.now();
  const ticking = one("[data-ticking]", line);
  const status = one("[data-status]", line);
  let before = Infinity;
  const tick = () => {
    const minutes = Math.max(0, Math.ceil((until - Date.now()) / 60000));
    if (minutes >= 2880) return;
    const { left, last, hours, whole } = line.dataset;
    const words = minutes === 1 ? last : minutes <= 60 ? left : minutes % 60 ? hours : whole;
    const rest = minutes > 60 ? minutes % 60 : minutes;
    ticking.textContent = words.replace("%h", Math.floor(minutes / 60)).replace("%m", rest);
    if (before > 5 && minutes === 5) status.textContent = line.dataset.say.replace("%m", 5);
    if (before > 1 && minutes === 1) status.textContent = line.dataset.one;
    before = minutes;
    if (minutes > 0) return;
    clearInterval(timer);
    status.textContent = line.dataset.over;
    setTimeout(() => location.reload(), 1500);
  };
  const timer = setInterval(tick, 5000);
  tick();
}

/* Ask how the payment stands; turn the page when it is no longer what is shown. Offline, ask only
   each half minute, as some browsers take themselves for offline when they are not. */
function poll(address, version) {
  let wait = 2000;
  let timer = 0;
  const ask = async () => {
    clearTimeout(timer);
    try {
      const answer = await fetch(address, { cache: "no-store" });
      const now = answer.ok ? (await answer.json()).version : version;
      if (now !== version) {
        const paid = now === "completed" ? "?paid=1" : "";
        location.replace(page.dataset.turn || location.href.split(/[?#]/)[0] + paid);
        return;
      }
      wait = 2000;
    } catch { wait = Math.min(wait * 2, 15000); }
    clearTimeout(timer);
    timer = setTimeout(askOnline, document.hidden ? 10000 : wait);
  };
  const askOnline = () => {
    if (navigator.onLine) { ask(); return; }
    clearTimeout(timer);
    timer = setTimeout(ask, 30000);
  };
  timer = setTimeout(askOnline, wait);
  addEventListener("online", ask);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) askOnline(); });
}
if (page.dataset.poll) poll(page.dataset.poll, page.dataset.version);

/* Which payment this tab has waited for. Some browsers keep nothing: null, or an error. */
try { if (page.dataset.poll) sessionStorage.waitedFor = page.dataset.poll; } catch { /* not kept */ }
function hasWaited() {
  try { return sessionStorage.waitedFor === `${location.pathname}/status`; } catch { return false; }
}

/* On to the shop: slowly, once, and unless it is stopped. Only for the payer, and in a tab that has
   waited: an address that was passed on must not lead strangers to a site of the merchant's choice. */
for (const box of all("[data-go]")) {
  if (!("payer" in box.dataset) && !hasWaited()) continue;
  const going = one("[data-going]", box);
  const address = one("a.pay", box).href;
  show(going);
  const timer = setTimeout(() => location.assign(address), Number(box.dataset.go) * 1000);
  one("[data-stop]", box).addEventListener("click", () => {
    clearTimeout(timer);
    one(".bar", going).remove();
    one("[role=status]", going).textContent = box.dataset.stopped;
  });
}

/* A proof that is looked at again shows the present state, and no longer that it was just paid. */
if ("renew" in page.dataset) {
  if (location.search) history.replaceState(null, "", location.pathname);
  let hiddenAt = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenAt = Date.now();
    else if (hiddenAt && Date.now() - hiddenAt > 30000 && !one("input[type=email]")?.value) location.reload();
  });
}

for (const link of all("[data-copy]")) {
  link.addEventListener("click", async (event) => {
    if (!navigator.clipboard) return;
    event.preventDefault();
    const copied = await navigator.clipboard.writeText(link.href).then(() => true, () => false);
    link.textContent = copied ? link.dataset.copy : link.href;
  });
}
for (const button of all("[data-print]")) {
  show(button);
  button.addEventListener("click", () => print());
}

/* The keypad of a counter. Thousands are grouped as long as only digits and our own marks stand
   there: anything else that is typed ("12,50") is left alone, and the server reads or refuses it. */
function keypad(pad) {
  const input = document.getElementById(pad.dataset.keys);
  const { point, group, erase } = pad.dataset;
  const isMark = (sign) => sign === point || (sign >= "0" && sign <= "9");
  let last = "";
  const regroup = () => {
    const { value } = input;
    const added = value.startsWith(last) ? value.slice(last.length) : value;
    const ours = last.startsWith(value) || [...added].every(isMark);
    last = value;
    if (!ours) { last = "\0"; return; }
    const [whole, ...rest] = point ? value.split(point) : [value];
    const digits = whole.replaceAll(group, "");
    input.value = last = [digits.replace(/\B(?=(\d{3})+$)/g, group), ...rest].join(point);
  };
  input.addEventListener("input", regroup);
  for (const key of [..."123456789", point, "0", "⌫"]) {
    const button = document.createElement(key ? "button" : "span");
    if (key) button.type = "button";
    button.textContent = key;
    if (key === "⌫") button.setAttribute("aria-label", erase);
    if (key) button.addEventListener("click", () => {
      if (key === "⌫") input.value = input.value.slice(0, -1);
      else if (key !== point || !input.value.includes(key)) input.value += key;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    pad.append(button);
  }
  input.inputMode = "none";  // the keypad is here: no other one is raised over it
  show(pad);
}
all("[data-keys]").forEach(keypad);
