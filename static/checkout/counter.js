/* The till at a counter: keys and products, a live list, a sound, and a screen that stays on. It
   works without this file, except for these last three. */
"use strict";
const feed = one("[data-feed]");
const live = one("[data-live]");
show(live);

/* The sum on the button, written with the keypad's own marks. Cents are integers here too. What is
   not plainly a sum shows none: the server, which adds anew, reads or refuses it. */
function till(form) {
  const pad = one("[data-keys]", form);
  const amount = document.getElementById(pad.dataset.keys);
  const quantities = all("input[data-price]", form);
  const { point, group } = pad.dataset;
  const decimals = Number(pad.dataset.decimals);
  const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, group);
  const typed = () => {
    const [whole, part = "", ...more] = point ? amount.value.split(point) : [amount.value];
    const digits = whole.replaceAll(group, "");
    const isSum = [digits, grouped(digits)].includes(whole) && part.length <= decimals && !more.length;
    return isSum && /^\d*$/.test(digits + part) ? Number(digits + part.padEnd(decimals, "0")) : NaN;
  };
  const tell = () => {
    const cents = quantities.reduce((sum, each) => sum + each.value * each.dataset.price, typed());
    const text = String(cents).padStart(decimals + 1, "0");
    const units = text.length - decimals;
    one("[data-total]", form).textContent = cents ? grouped(text.slice(0, units)) + point + text.slice(units) : "";
    for (const each of quantities) each.closest(".product").classList.toggle("is-picked", each.value > 0);
  };
  /* The number appears under the finger: it is typed into, unless the tap is one more of several. */
  for (const each of quantities) {
    const product = each.closest(".product");
    let tapped = -1000;
    const isTap = ({ target, timeStamp }) => target !== each || timeStamp - tapped < 1000;
    product.addEventListener("mousedown", (event) => { if (isTap(event)) event.preventDefault(); });
    product.addEventListener("click", (event) => {
      if (!isTap(event)) return;
      event.preventDefault();
      tapped = event.timeStamp;
      each.value = Math.min(Number(each.value) + 1, Number(each.max));
      tell();
    });
  }
  form.classList.add("taps");
  form.addEventListener("input", tell);
  tell();
}
if (one("[data-till]")) till(one("[data-till]"));

/* What is pressed is sent without leaving the page: the sound would end with it. What is being typed
   stays while a sum is taken off, and after an answer that is no page of the till. */
addEventListener("submit", async (event) => {
  const form = event.target;
  const kind = ["[data-till]", "[data-withdraw]"].find((each) => form.matches(each));
  if (!kind) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "yes";
  const body = new FormData(form, event.submitter);
  const button = one("[data-busy]", form);
  busy(button);
  try {
    const answer = await fetch(location.href, { method: "POST", body });
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const isTill = one("[data-live]", next);
    if (!isTill && answer.status !== 403) throw refused(answer);
    if (!isTill || !one(kind, next)) { location.reload(); return; }
    form.replaceWith(document.adoptNode(one(kind, next)));
    if (button) begin();
    await look();
  } catch (error) {
    delete form.dataset.sent;
    if (button) idle(button);
    lost(error);
  }
});
function begin() {
  const form = one("[data-till]");
  keypad(one("[data-keys]", form));
  till(form);
  const wrong = one(".bad input", form);
  (wrong ?? one(".amount-field", form)).focus({ preventScroll: !wrong });
}

/* A page may play a sound once it has been touched: a rule of browsers. */
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
  try { localStorage.setItem("sound", on ? "on" : "off"); } catch { /* kept for this page only */ }
  say();
}
show(sound);
sound.addEventListener("click", () => { hear(!speaker); if (speaker) ring(); });
if (isSoundKept()) {
  addEventListener("pointerdown", (event) => {
    if (!speaker && event.target !== sound) hear(true);
  }, { once: true });
}
function isSoundKept() {
  try { return localStorage.getItem("sound") === "on"; } catch { return false; }
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
  if (!answer.ok) throw refused(answer);
  const before = known();
  const lists = await answer.text();
  if (lists !== last) renew(lists);
  last = lists;
  const fresh = all("[data-sale]", feed).filter((sale) => !before.has(sale.dataset.sale));
  fresh.forEach((sale) => sale.classList.add("is-new"));
  if (fresh.length) one("[data-arrived]").textContent = fresh.map((sale) => sale.dataset.said).join("; ");
  if (fresh.length && speaker) ring();
  live.textContent = words;
  live.classList.remove("is-bad");
}
/* The button that has the focus keeps it; where it is gone, the next sum is typed. */
function renew(lists) {
  const held = feed.contains(document.activeElement) ? document.activeElement.value : "";
  feed.innerHTML = lists;
  if (held) (one(`[value="${held}"]`, feed) ?? one("[data-till] .amount-field"))?.focus();
}
const words = live.textContent;
const WORDS = { 404: "moved", 429: "often" };
const refused = (answer) => Object.assign(new Error(answer.status), { status: answer.status });
function lost(error) {
  live.textContent = live.dataset[WORDS[error.status] ?? "lost"];
  live.classList.add("is-bad");
}
async function refresh() {
  try { await look(); } catch (error) { lost(error); }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 2000);
