// The shop of shop.py for Node 18 and later, without packages: cart, checkout, a gift card by
// button, a verified webhook, a fulfilled order.
//
// Start the service with `make run`. Then, in a second terminal:
//
//     node docs/shop.mjs
//
// It prints its address. `SERVICE` says where the service is, `PORT` where the shop is to be.

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const SERVICE = process.env.SERVICE ?? "http://localhost:8000";
const PORT = Number(process.env.PORT ?? 8001);
const SHOP = `http://localhost:${PORT}`;
const GOODS = new Map([
  ["atlas", ["Atlas of the islands", 4200]],
  ["tea", ["Ginger tea", 650]],
  ["pen", ["Pen", 180]],
]);
const MOST_SECONDS_OFF = 300;

// A real shop keeps these in its database; `fulfilled` holds the ids of events it has handled.
const orders = new Map();
const fulfilled = new Set();
let key, secret, giftCard;

/** Send a request to the service. `once`: sent again under the same word, it is done once. */
async function call(path, body, once) {
  const answer = await fetch(`${SERVICE}/v1${path}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(once && { "Idempotency-Key": once }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

/** Make an order and a payment for it; return where the customer pays. */
async function buy(counts) {
  const orderId = randomUUID().slice(0, 8);
  const items = counts.map(([good, quantity]) => {
    const [name, price] = GOODS.get(good);
    return { name, quantity, price };
  });
  const payment = await call(
    "/payments",
    {
      payment_mode: "ORDER_PAY",
      order_id: orderId,
      line_items: items,
      success_url: `${SHOP}/orders/${orderId}`,
      cancel_url: `${SHOP}/`,
      metadata: { order_id: orderId },
    },
    `order-${orderId}`,
  );
  orders.set(orderId, { items, paymentId: payment.id, status: "waiting" });
  return payment.checkout_url;
}

/** Believe a request only if its signature matches the bytes as they came, lately. */
function isGenuine(headers, body) {
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(at)) <= MOST_SECONDS_OFF)) return false;
  const hmac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"));
  const expected = hmac.update(`${id}.${at}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Fulfil the order that has been paid. The same event may come again: then it is done. */
function handle(event) {
  if (event.type !== "payment.completed" || fulfilled.has(event.id)) return;
  const order = orders.get(event.data.metadata?.order_id);
  if (order?.paymentId === event.data.payment_id) order.status = "paid: on its way to you";
  fulfilled.add(event.id);
}

const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
const page = (content) => `<!doctype html><title>Shop</title><h1>Shop</h1>${content}`;

function front() {
  const rows = [...GOODS].map(([good, [name, price]]) => {
    const input = `<input name=${good} type=number min=0 value=0>`;
    return `<p>${input} ${name}, ${(price / 100).toFixed(2)}</p>`;
  });
  const button = `
<p><a href="${giftCard}">Gift card, 25.00</a> <span id=told></span></p>
<script async src="${SERVICE}/pay/button.js" data-link="${giftCard}"></script>
<script>addEventListener("paymentcompleted", () => told.textContent = "Thank you!")</script>`;
  return `<form method=post action=/buy>${rows.join("")}<button>Pay</button></form>${button}`;
}

function receipt(order) {
  const rows = order.items.map((item) => `<li>${item.quantity} &times; ${escaped(item.name)}</li>`);
  return `<ul>${rows.join("")}</ul><p>${escaped(order.status)}</p><a href=/>Back</a>`;
}

async function answer(request, response) {
  const { pathname } = new URL(request.url, SHOP);
  if (request.method === "GET") {
    const order = orders.get(pathname.replace("/orders/", ""));
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    return response.end(page(order ? receipt(order) : front()));
  }
  const body = Buffer.concat(await request.toArray());
  if (pathname === "/hooks") {
    const genuine = isGenuine(request.headers, body);
    if (genuine) handle(JSON.parse(body));
    return response.writeHead(genuine ? 204 : 401).end();
  }
  const form = new URLSearchParams(body.toString());
  const counts = [...GOODS.keys()]
    .map((good) => [good, Number(form.get(good))])
    .filter(([, count]) => count > 0);
  const Location = counts.length ? await buy(counts) : "/";
  return response.writeHead(303, { Location }).end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(502).end();
  });
});
server.listen(PORT, "127.0.0.1", async () => {
  const merchant = await call("/merchants", { name: "Sample Shop", email: "shop@example.com" });
  key = merchant.api_keys.test;
  giftCard = (await call("/payment-links", { amount: 2500, description: "Gift card" })).url;
  const wanted = { url: `${SHOP}/hooks`, events: ["payment.completed"] };
  secret = (await call("/webhooks", wanted)).secret;
  console.log(`The shop is open at ${SHOP}`);
});
