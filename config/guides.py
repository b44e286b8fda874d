"""The guides of the reference: what a merchant wants to do, and the requests that do it.

Each block of commands runs on its own, with the URL of the service in `API` and a test key in
`KEY`; the tests run them verbatim.
"""

from typing import Any

GUIDES = r"""
# Guides

The commands need `API` set to `[[base_url]]/v1`, a test key in `KEY`, and these lines:

```sh
JSON="Content-Type: application/json"
post() { curl -sS "$API$1" -H "Authorization: Bearer $KEY" -H "$JSON" -d "$2"; }
get() { curl -sS "$API$1" -H "Authorization: Bearer $KEY"; }
id() { grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4; }
```

## Take a payment

Create it with your order number in `metadata`, so that its events carry the number, and store its
id, because `payment.expired` has only `payment_id`. Send the customer to `checkout_url`. Deliver on
the event `payment.completed`, never on a visit to `success_url`: that page should read the payment
by the id in its URL and show what its `status` says.

```sh
PAYMENT=$(post /payments '{"payment_mode": "ORDER_PAY", "order_id": "1001",
  "line_items": [{"name": "Atlas", "quantity": 1, "price": 4200}],
  "success_url": "https://shop.example/thanks", "metadata": {"order_id": "1001"}}' | id)
post /payments/$PAYMENT/simulate '{"outcome": "paid"}'
get '/payments?metadata%5Border_id%5D=1001'
```

## At the counter

A counter is one payment of mode `STATIC_PAY` that stays open. Display the image at its
`qr_code_url`; each customer makes a separate payment, which names the counter in
`static_payment_id`. Its `counter_url` is the screen for your till: keep it secret. Once someone may
have seen it, `POST /v1/till/renew-screens` gives all counters another one.

```sh
COUNTER=$(post /payments '{"payment_mode": "STATIC_PAY", "description": "By the door"}' | id)
post /payments/$COUNTER/confirm '{"amount": 700}'
get "/payments?static_payment_id=$COUNTER"
```

## By link

A link needs no server: send its `url`, print its `qr_code`, or put it on a page.

```sh
LINK=$(post /payment-links '{"amount": 2500, "description": "Gift card", "max_uses": 3}' | id)
get "/payment-links/$LINK"
get "/payments?payment_link_id=$LINK"
```

On your own page, one script turns the link into a button, with the styling you give it. A click
opens the checkout on a phone, or shows the QR code on a desktop, and your page is notified of the
outcome. Without the script the link opens its own page.

<pre><code>&lt;a href="[[base_url]]/pay/your-shop/link_…"&gt;Gift card&lt;/a&gt;
&lt;script async src="[[base_url]]/pay/button.js"
        data-link="[[base_url]]/pay/your-shop/link_…"&gt;&lt;/script&gt;
&lt;script&gt;
  addEventListener("paymentcompleted", (event) =&gt; alert("Thank you!"));
&lt;/script&gt;</code></pre>

There are also `paymentstarted` and `paymentended` (it failed, expired or was canceled). Browser
events prove nothing: use them to thank the customer, and deliver on the webhook. If your page has a
content security policy, add our host to `script-src` and `connect-src`. A link without an amount
opens its own page, which sends no browser events.

## Invoices

The customer is e-mailed immediately and, unless it is paid, [[reminder]] before the due date and on
it.

```sh
INVOICE=$(post /payments '{"payment_mode": "INVOICE_PAY", "amount": 12500,
  "invoice_number": "2026-017", "customer_email": "customer@example.com"}' | id)
post /payments/$INVOICE/send '{"email": "accounts@example.com"}'
get "/payments?invoice_number=2026-017"
```

## Refunds

Without `amount`, the whole remaining amount is refunded. `refund_amount_available` guards against a
refund based on stale data. If your balance is too low, the refund stays `pending` and is retried.

```sh
SOLD=$(post /payments '{"amount": 4200}' | id)
post /payments/$SOLD/simulate '{"outcome": "paid"}'
post /payments/$SOLD/refund '{"amount": 1200, "refund_amount_available": 4200}'
get "/payments/$SOLD/refunds"
```

## Webhooks

Receiving events explains how to register an endpoint, verify requests and answer them. During
development, `POST /v1/webhooks/test` sends a sample and returns what your endpoint answered; `GET
/v1/webhooks/{id}/deliveries` shows every attempt. Override fields of the sample with `data`.

After an outage, or without a public endpoint, read the feed. This program computes from scratch
what each payment has brought in. With `wait=[[wait_most]]`, a loop that never ends gets new events
at once.

```python
import os

import requests  # pip install requests

FEED = os.environ["API"] + "/events"
HEADERS = {"Authorization": "Bearer " + os.environ["KEY"]}

kept: dict[str, int] = {}  # what each payment has brought in
after = 0  # the sequence of the last event handled: store it with what the event has changed
while True:
    answer = requests.get(FEED, {"after": after, "limit": 100}, headers=HEADERS, timeout=60)
    answer.raise_for_status()
    events = answer.json()["events"]
    if not events:
        break
    for event in events:
        data = event["data"]
        if event["type"] == "payment.completed":
            kept[data["payment_id"]] = data["amount"]
        elif event["type"] == "refund.completed":
            kept[data["payment_id"]] -= data["amount"]
        after = event["sequence"]
print(sum(kept.values()), "cents up to event", after)
```

## Testing

Test mode never moves money. `simulate` gives a payment the outcome you choose, `expire` expires it,
and `POST /v1/test/advance` advances the clock for expiry, reminders, retries and payouts. With the
header `Simulate-Error: <code>` a request returns that error. With `X-Service-Strict: true`, a
misspelled field is refused.

```sh
TRIED=$(post /payments '{"amount": 900}' | id)
post /payments/$TRIED/simulate '{"outcome": "declined"}'
post /test/advance '{"days": 2}'
```

## When something fails

If there is no response, or after 409, 429 or any 5xx, send the same request again with the same
`Idempotency-Key`: after the seconds in `Retry-After`, otherwise after one second, then two, then
four. It takes effect once, however often it arrives. Any other error says what is wrong: the same
request would be refused again. Correct it and send the new request with a new key.

Store the body with the key before you send it, and repeat its bytes: fields in another order are
another request. If a repeat gets `IDEMPOTENCY_KEY_REUSED`, the first request has taken effect; if
it comes after more than [[key_kept]], it may have. Then look for what it made, by your order number
in `metadata`, before you use a new key. A GET, PATCH or DELETE needs no key: repeat it. A repeated
DELETE gets 404.

```sh
curl -sS --retry 5 --retry-connrefused "$API/payments" -H "Authorization: Bearer $KEY" \
  -H "$JSON" -H "Idempotency-Key: order-1002" -d '{"amount": 1250}'
```

## Going live

1. Complete your profile with `PATCH /v1/merchants/{id}`: staff use it to verify your business.
   Until then, live keys are refused with `MERCHANT_NOT_VERIFIED`.
2. Replace the test key with the live key. Links, webhooks and bank accounts created in test mode
   stay there: create those for live mode with the live key.
3. Give each server its own key, with only the scopes it needs: it can then be rolled and revoked
   on its own.
4. Make a payment of the smallest amount yourself, check that the event arrives, and refund it.

## Payouts and reconciliation

Payouts go to your bank account on your schedule, or on request. A payout lists the movements that
make it up; a statement lists every movement of your balance in a period, and can be read a minute
after its end. For accounting, statements and payments are also available as CSV, in UTF-8 without
a byte order mark: open such a file in Excel by Data → From Text/CSV. A test payout
arrives by itself (use `POST /v1/test/advance` to speed it up); to the account number
[[refused_number]] it fails.

```sh
get "/balance"
PAYOUT=$(post /payouts '{"amount": 1000}' | id)
get "/payouts/$PAYOUT"
STATEMENT=$(post /statements \
  '{"start_at": "2026-01-01T00:00:00Z", "end_at": "2026-02-01T00:00:00Z"}' | id)
get "/statements/$STATEMENT/lines?format=csv"
get "/payments?format=csv&status=completed"
```
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put the guides before all but the first chapter; a hook of the document's generator."""
    result["info"]["description"] = f"{GUIDES}\n\n{result['info']['description']}"
    return result
