/* The button of a payment link, for any page:

   <a href="https://…/pay/shop/link_…">Buy a gift card</a>
   <script async src="https://…/pay/button.js" data-link="https://…/pay/shop/link_…"></script>

   Without this script the link opens the page of the payment. With it a press opens the checkout
   beside this page, or on a desktop shows its QR code, and the link hears what becomes of it:
   `paymentstarted`, `paymentcompleted` and `paymentended`, each with the id of the payment. The
   page may show that; what was paid is delivered on the signed webhook, for an event in a browser
   proves nothing. No cookie, no secret, no inline style: a policy that names our host in
   script-src and connect-src is enough. */
"use strict";
(() => {
  const script = document.currentScript;
  const home = new URL(script.src).origin;
  const address = new URL(script.dataset.link, home);
  if (address.origin !== home || !address.pathname.startsWith("/pay/")) {
    throw new Error("data-link must be the address of a payment link of " + home);
  }
  const at = address.origin + address.pathname;
  const memory = "payment " + address.pathname;
  const OPEN = ["created", "pending", "requires_action", "processing"];
  const isDesk = () => matchMedia("(min-width: 48em) and (pointer: fine)").matches;
  const STYLE = `
    dialog { border: 0; border-radius: 1rem; padding: 1.5rem; max-width: 20rem; text-align: center;
      font: 1rem/1.5 system-ui, sans-serif; color: CanvasText; background: Canvas;
      box-shadow: 0 1rem 3rem #0006; color-scheme: light dark; }
    dialog::backdrop { background: #0008; }
    h2 { margin: 0; font-size: 1.25rem; }
    p { margin: .25rem 0 1rem; }
    svg { display: block; width: 14rem; height: 14rem; margin: 0 auto 1rem; background: #fff; }
    a, button { display: block; box-sizing: border-box; width: 100%; min-height: 44px; padding: .6rem;
      border-radius: .5rem; border: 1px solid; font: inherit; color: inherit; background: none;
      text-decoration: none; cursor: pointer; }
    button { margin-top: .5rem; border: 0; }
    a:focus-visible, button:focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }`;

  let payment = remembered();
  let dialog = null;
  let timer = 0;
  let link = null; /* the one that was pressed last, or else the first */
  /* A script in the head may run before the links of the page are there. */
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
  else begin();

  function begin() {
    const links = found();
    link = links[0];
    for (const each of links) each.addEventListener("click", press);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
    if (payment) ask();
  }

  /* The page's own links, or else one of ours in the place of the script. */
  function found() {
    const known = [...document.links].filter((each) => each.origin + each.pathname === at);
    if (known.length) return known;
    const made = document.createElement("a");
    made.href = address.href;
    made.textContent = script.dataset.label || "Pay";
    if (document.head.contains(script)) document.body.append(made);
    else script.before(made);
    return [made];
  }

  async function press(event) {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    if (link.ariaBusy === "true") return;
    link = event.currentTarget;
    link.ariaBusy = "true";
    /* A window that opens later than the press is taken for a pop-up. */
    const beside = isDesk() ? null : open("", "_blank");
    if (beside) beside.opener = null;
    try {
      if (!payment) await start();
      if (isDesk()) ask_for_phone(); else go(beside, payment.checkout_url);
    } catch {
      go(beside, address.href); /* its page says what is wrong, in the customer's language */
    } finally { link.ariaBusy = "false"; }
  }

  function go(beside, to) {
    if (beside) beside.location = to; else location.assign(to);
  }

  async function start() {
    const answer = await fetch(at + "/button", { method: "POST", credentials: "omit" });
    if (!answer.ok) throw new Error(String(answer.status));
    payment = await answer.json();
    remember();
    tell("paymentstarted", "created");
    wait();
  }

  function wait(milliseconds = 2000) {
    clearTimeout(timer);
    timer = setTimeout(ask, document.hidden ? 10000 : milliseconds);
  }

  async function ask() {
    if (!payment) return;
    clearTimeout(timer);
    let status = "";
    try {
      const answer = await fetch(payment.checkout_url + "/status", { credentials: "omit", cache: "no-store" });
      status = answer.ok ? (await answer.json()).status : answer.status === 404 ? "expired" : "";
    } catch { /* the network is away: asked again */ }
    if (!status || OPEN.includes(status)) return wait(status ? 2000 : 10000);
    tell(status === "completed" ? "paymentcompleted" : "paymentended", status);
    payment = null;
    remember();
    dialog?.close();
  }

  function tell(type, status) {
    const detail = { payment_id: payment.payment_id, status };
    link.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
  }

  /* A phone may forget this page while another one pays: it goes on where it was. */
  function remember() {
    try {
      if (payment) sessionStorage.setItem(memory, JSON.stringify(payment));
      else sessionStorage.removeItem(memory);
    } catch { /* a page that may not keep anything */ }
  }
  function remembered() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(memory));
      return kept && new URL(kept.checkout_url).origin === home ? kept : null;
    } catch { return null; }
  }

  function ask_for_phone() {
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const words = payment.words;
    dialog = element("dialog", { "aria-labelledby": "title" });
    const here = element("a", { href: payment.checkout_url, target: "_blank", rel: "noopener" }, words.here);
    const close = element("button", { type: "button" }, words.close);
    const sum = element("h2", { id: "title" }, words.title);
    dialog.append(sum, element("p", {}, words.scan), code(payment.qr, words.code), here, close);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => { host.remove(); dialog = null; link.focus(); });
    root.append(dialog);
    document.body.append(host);
    dialog.showModal();
  }

  function element(name, attributes, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  function code(qr, label) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    const box = `-4 -4 ${qr.size + 8} ${qr.size + 8}`;
    for (const [key, value] of [["viewBox", box], ["role", "img"], ["aria-label", label]]) svg.setAttribute(key, value);
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", qr.path);
    svg.append(path);
    return svg;
  }
})();
