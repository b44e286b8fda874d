"""A shop in one file: cart, checkout, a gift card by button, a verified webhook, a fulfilled order.

Start the service with `make run`. Then, in a second terminal:

    .venv/bin/pip install standardwebhooks
    .venv/bin/python docs/shop.py

It prints its address. `SERVICE` says where the service is, `PORT` where the shop is to be.
"""

import os
import sys
import uuid
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import requests
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

SERVICE = os.environ.get("SERVICE", "http://localhost:8000")
PORT = int(os.environ.get("PORT", "8001"))
SHOP = f"http://localhost:{PORT}"
GOODS = {"atlas": ("Atlas of the islands", 4200), "tea": ("Ginger tea", 650), "pen": ("Pen", 180)}

# A real shop keeps these in its database; `fulfilled` holds the ids of events it has handled.
orders: dict[str, dict[str, Any]] = {}
fulfilled: set[str] = set()


def call(path: str, body: dict[str, Any], key: str = "", once: str = "") -> dict[str, Any]:
    """Send a request to the service. `once`: sent again under the same word, it is done once."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if once:
        headers["Idempotency-Key"] = once
    answer = requests.post(f"{SERVICE}/v1{path}", json=body, headers=headers, timeout=30)
    if not answer.ok:
        sys.exit(f"{path}: {answer.text}")
    content: dict[str, Any] = answer.json()
    return content


def buy(key: str, counts: dict[str, int]) -> str:
    """Make an order and a payment for it; return where the customer pays."""
    order_id = uuid.uuid4().hex[:8]
    items = [
        {"name": GOODS[good][0], "quantity": count, "price": GOODS[good][1]}
        for good, count in counts.items()
    ]
    body = {
        "payment_mode": "ORDER_PAY",
        "order_id": order_id,
        "line_items": items,
        "success_url": f"{SHOP}/orders/{order_id}",
        "cancel_url": f"{SHOP}/",
        "metadata": {"order_id": order_id},
    }
    payment = call("/payments", body, key, once=f"order-{order_id}")
    orders[order_id] = {"items": items, "payment_id": payment["id"], "status": "waiting"}
    return str(payment["checkout_url"])


def handle(event: dict[str, Any]) -> None:
    """Fulfil the order that has been paid. The same event may come again: then it is done."""
    if event["type"] != "payment.completed" or event["id"] in fulfilled:
        return
    order = orders.get(event["data"]["metadata"].get("order_id"))
    if order and order["payment_id"] == event["data"]["payment_id"]:
        order["status"] = "paid: on its way to you"
    fulfilled.add(event["id"])


BUTTON = """
<p><a href="{link}">Gift card, 25.00</a> <span id=told></span></p>
<script async src="{service}/pay/button.js" data-link="{link}"></script>
<script>addEventListener("paymentcompleted", () => told.textContent = "Thank you!")</script>
"""


class Shop(BaseHTTPRequestHandler):
    """The pages of the shop, and the address that the service tells of events."""

    key = ""
    gift_card = ""
    verifier: Webhook

    def do_GET(self) -> None:
        order = orders.get(self.path.partition("?")[0].removeprefix("/orders/"))
        if order is None:
            rows = "".join(
                f"<p><input name={good} type=number min=0 value=0> {name}, {price / 100:.2f}</p>"
                for good, (name, price) in GOODS.items()
            )
            form = f"<form method=post action=/buy>{rows}<button>Pay</button></form>"
            self.show(form + BUTTON.format(service=SERVICE, link=self.gift_card))
        else:
            rows = "".join(
                f"<li>{item['quantity']} &times; {item['name']}</li>" for item in order["items"]
            )
            self.show(f"<ul>{rows}</ul><p>{escape(order['status'])}</p><a href=/>Back</a>")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/hooks":
            return self.hear(body)
        form = {name: int(values[0]) for name, values in parse_qs(body.decode()).items()}
        counts = {good: form[good] for good in GOODS if form.get(good, 0) > 0}
        self.send_response(303)
        self.send_header("Location", buy(self.key, counts) if counts else "/")
        return self.end_headers()

    def hear(self, body: bytes) -> None:
        """Believe a request only if its signature matches the bytes as they came."""
        try:
            event = self.verifier.verify(body, dict(self.headers.items()))
        except WebhookVerificationError:
            self.send_response(401)
        else:
            handle(event)
            self.send_response(204)
        self.end_headers()

    def show(self, content: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>Shop</title><h1>Shop</h1>{content}".encode())


def main() -> None:
    """Register with the service as a merchant with a webhook, and open the shop."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Shop)
    merchant = call("/merchants", {"name": "Sample Shop", "email": "shop@example.com"})
    Shop.key = merchant["api_keys"]["test"]
    wanted = {"url": f"{SHOP}/hooks", "events": ["payment.completed"]}
    card = {"amount": 2500, "description": "Gift card"}
    Shop.gift_card = call("/payment-links", card, Shop.key)["url"]
    Shop.verifier = Webhook(call("/webhooks", wanted, Shop.key)["secret"])
    sys.stdout.write(f"The shop is open at {SHOP}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main()
