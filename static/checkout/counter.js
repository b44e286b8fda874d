/* The till at a counter: keys and products, a live list, a sound, and a screen that stays on. It
   works without this file, except for these last three. */
"use strict";
const feed = one("[data-feed]");
const live = one("[data-live]");

/* The sum on the button. Cents are integers here too; the server reads and adds anew. */
function till(form) {
  const pad = one("[data-keys]", form);
  const amount = document.getElementById(pad.dataset.keys);
  const quantities = all("input[data-price]", form);
  const digits = pad.dataset.point ? 2 : 0;
  const typed = () => {
    const [whole, part = ""] = amount.value.replaceAll(pad.dataset.group, "").split(pad.dataset.point || "\0");
    return /^\d*$/.test(whole + part) ? Number(whole + part.padEnd(digits, "0").slice(0, digits)) : 0;
  };
  const tell = () => {
    const cents = quantities.reduce((sum, each) => sum + each.value * each.dataset.price, typed());
    const text = (cents / 10 ** digits).toLocaleString(document.documentElement.lang, {
      minimumFractionDigits: digits, maximumFractionDigits: digits });
    one("[data-total]", form).textContent = cents ? text : "";
    for (const each of quantities) each.closest(".product").classList.toggle("is-picked", each.value > 0);
  };
  for (const each of quantities) {
    each.closest(".product").addEventListener("click", (event) => {
      if (event.target === each) return;
      event.preventDefault();
      each.value = Math.min(Number(each.value) + 1, Number(each.max));
      tell();
    });
  }
  form.classList.add("taps");
  form.addEventListener("input", tell);
  tell();
}
if (one("[data-till]")) till(one("[data-till]"));

/* What is pressed is sent without leaving the page: the sound would end with it. */
addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-till], [data-withdraw]")) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  const body = new FormData(form, event.submitter);
  busy(form.matches("[data-till]") ? event.submitter : null);
  try {
    const answer = await fetch(location.href, { method: "POST", body });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const kind of ["[data-till]", "[data-withdraw]"]) {
      if (one(kind) && one(kind, next)) one(kind).replaceWith(document.adoptNode(one(kind, next)));
    }
    if (!one("[data-till]")) { location.reload(); return; }
    all("[data-keys]").forEach(keypad);
    till(one("[data-till]"));
    one("[data-till] .alarm a, [data-till] .bad input")?.focus();
    await look();
  } catch {
    delete form.dataset.sent;
    if (form.matches("[data-till]")) idle(event.submitter);
    lost();
  }
});

/* Browsers let a page be heard once somebody has touched it. */
const sound = one("[data-sound]");
const off = sound.textContent;
let speaker = null;
const say = () => {
  const on = Boolean(speaker);
  sound.setAttribute("aria-pressed", String(on));
  sound.textContent = on ? sound.dataset.on : off;
};
function hear(on) {
  if (speaker) speaker.close();
  speaker = on ? new AudioContext() : null;
  localStorage.setItem("sound", on ? "on" : "off");
  say();
}
show(sound);
sound.addEventListener("click", () => { hear(!speaker); if (speaker) ring(); });
if (localStorage.getItem("sound") === "on") {
  addEventListener("pointerdown", (event) => {
    if (!speaker && event.target !== sound) hear(true);
  }, { once: true });
}
function ring() {
  [880, 1318].forEach((pitch, step) => {
    const tone = speaker.createOscillator();
    const volume = speaker.createGain();
    const start = speaker.currentTime + step * 0.13;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.25, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.4);
    tone.connect(volume).connect(speaker.destination);
    tone.start(start);
    tone.stop(start + 0.45);
  });
}

/* The light: a phone gives it back whenever the page is hidden. */
async function keepLight() {
  try {
    await navigator.wakeLock.request("screen");
    show(one("[data-light]"));
  } catch { show(one("[data-light]"), false); }
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) keepLight(); });
keepLight();

/* The lists: what waits, what was paid. */
const known = () => new Set(all("[data-sale]", feed).map((sale) => sale.dataset.sale));
let last = "";
async function look() {
  const answer = await fetch(feed.dataset.feed, { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.status);
  const before = known();
  const lists = await answer.text();
  if (lists !== last) feed.innerHTML = lists;
  last = lists;
  const fresh = all("[data-sale]", feed).filter((sale) => !before.has(sale.dataset.sale));
  fresh.forEach((sale) => sale.classList.add("is-new"));
  if (fresh.length) one("[data-arrived]").textContent = fresh[0].textContent;
  if (fresh.length && speaker) ring();
  live.textContent = words;
  live.classList.remove("is-bad");
}
const words = live.textContent;
function lost() {
  live.textContent = live.dataset.lost;
  live.classList.add("is-bad");
}
async function refresh() {
  try { await look(); } catch { lost(); }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 2000);
