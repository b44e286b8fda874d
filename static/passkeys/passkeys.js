/* The ceremonies of passkeys, for customers and for staff: the browser's dialog between the words of
   the page. A page that shows that it is busy has the functions `busy` and `idle`. Loaded without
   `defer`: nothing can be pressed before this listens. A form that is sent without what the dialog
   says would count as a failed attempt. */
"use strict";
const FAILURES = { TypeError: "offline", RangeError: "often", InvalidStateError: "known" };
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.dataset.passkey || form.elements.credential.value) return;
  event.preventDefault();
  if (form.dataset.sent) return;
  if (!window.PublicKeyCredential) { tell("unable"); return; }
  const button = form.querySelector("button");
  const again = () => {
    window.idle?.(button);
    delete form.dataset.sent;
    form.elements.credential.value = "";
  };
  form.dataset.sent = "yes";
  tell("nothing");
  window.busy?.(button);
  try {
    form.elements.credential.value = JSON.stringify(await credential(form));
    if (form.dataset.answer) form.action = form.dataset.answer;
    form.submit();
    setTimeout(again, 20000); // where no answer comes
  } catch (error) {
    again();
    tell(FAILURES[error.name] ?? "closed");
  }
}, true); // before a page's own script, which takes what is not prevented for sent
function tell(when) {
  for (const note of document.querySelectorAll("[data-when]")) note.hidden = note.dataset.when !== when;
  document.querySelector(`[data-when=${when}]`)?.focus();
}
async function credential(form) {
  const body = new FormData(form);
  const answer = await fetch(form.dataset.options, { method: "POST", body, cache: "no-store" });
  if (answer.status === 429) throw new RangeError();
  if (!answer.ok) { location.reload(); return new Promise(() => {}); }
  const publicKey = await answer.json();
  if (publicKey.go) { location.assign(publicKey.go); return new Promise(() => {}); }
  publicKey.challenge = bytes(publicKey.challenge);
  for (const known of [...publicKey.allowCredentials ?? [], ...publicKey.excludeCredentials ?? []]) {
    known.id = bytes(known.id);
  }
  if (form.dataset.passkey === "get") return json(await navigator.credentials.get({ publicKey }));
  publicKey.user.id = bytes(publicKey.user.id);
  return json(await navigator.credentials.create({ publicKey }));
}
/* By hand what PublicKeyCredential does by itself in browsers of 2025 and later. */
function bytes(text) {
  const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
function text(buffer) {
  const letters = [...new Uint8Array(buffer)].map((code) => String.fromCharCode(code)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
function json({ id, rawId, type, response, authenticatorAttachment }) {
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const answer = { transports: response.getTransports?.() };
  for (const name of names) if (response[name]) answer[name] = text(response[name]);
  const clientExtensionResults = {};
  return { id, rawId: text(rawId), type, response: answer, authenticatorAttachment, clientExtensionResults };
}
