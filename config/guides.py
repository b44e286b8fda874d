"""The guides of the reference: what a merchant wants to do, and the requests that do it.

Each block of commands runs on its own, with the URL of the service in `API` and a test key in
`KEY`; the tests run them verbatim.
"""

from typing import Any

GUIDES = r"""
# Guides

The commands need `API`, which is `[[base_url]]/v1`, a test key in `KEY`, and these lines:

```sh
JSON="Content-Type: application/json"
post() { curl -sS "$API$1" -H "Authorization: Bearer $KEY" -H "$JSON" -d "$2"; }
get() { curl -sS "$API$1" -H "Authorization: Bearer $KEY"; }
id() { grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4; }
```

## Take a payment

Create it with the order's number in `metadata`, so that its events bring the number back, and store
its id, as `payment.expired` has `payment_id` only. Send the customer to `checkout_url`. Deliver on
the event `payment.completed`, never on the visit to `success_url`: that page reads the payment, by
the id in its address, and shows what its `status` says.

```sh
PAYMENT=$(post /payments '{"payment_mode": "ORDER_PAY", "order_id": "1001",
  "line_items": [{"name": "Atlas", "quantity": 1, "price": 4200}],
  "success_url": "https://shop.example/thanks", "metadata": {"order_id": "1001"}}' | id)
post /payments/$PAYMENT/simulate '{"outcome": "paid"}'
get '/payments?metadata%5Border_id%5D=1001'
```

## At the counter

A counter is one payment of mode `STATIC_PAY` that stays open: the picture at its `qr_code_url` goes
on the wall, each customer's payment is one of its own and names it in `static_payment_id`. Its
`counter_url` is the screen beside the till.

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
```

On a page, one script makes a button of your link, which keeps the look that you give it: a press
opens the checkout on a phone, shows the code on a desktop, and the page is told what became of it.
Without the script the link opens its own page.

<pre><code>&lt;a href="[[base_url]]/pay/your-shop/link_…"&gt;Gift card&lt;/a&gt;
&lt;script async src="[[base_url]]/pay/button.js"
        data-link="[[base_url]]/pay/your-shop/link_…"&gt;&lt;/script&gt;
&lt;script&gt;
  addEventListener("paymentcompleted", (event) =&gt; alert("Thank you!"));
&lt;/script&gt;</code></pre>

`paymentstarted` and `paymentended` (it failed, expired or was canceled) come likewise. Events in a
browser prove nothing: thank on them, deliver on the webhook. A page with a policy names our host in
`script-src` and `connect-src`. A link without an amount opens its own page, which tells nothing.

## Invoices

The customer is e-mailed at once, three days before the due date and on it, until it is paid.

```sh
INVOICE=$(post /payments '{"payment_mode": "INVOICE_PAY", "amount": 12500,
  "invoice_number": "2026-017", "customer_email": "customer@example.com"}' | id)
post /payments/$INVOICE/send '{"email": "accounts@example.com"}'
get "/payments?invoice_number=2026-017"
```

## Refunds

All that is left is given back unless `amount` says how much. `refund_amount_available` refuses a
refund that was decided on an old page. A balance too low leaves it `pending`; it is tried again.

```sh
SOLD=$(post /payments '{"amount": 4200}' | id)
post /payments/$SOLD/simulate '{"outcome": "paid"}'
post /payments/$SOLD/refund '{"amount": 1200, "refund_amount_available": 4200}'
get "/payments/$SOLD/refunds"
```

## Webhooks

How to register, verify and answer is said under Receiving events. While you build, `POST
/v1/webhooks/test` sends a sample and shows what your endpoint answered; `GET
/v1/webhooks/{id}/deliveries` shows every attempt. Give the sample fields of your own in `data`.

After an outage, or with no address of your own, read the feed. This program builds up from nothing
what each payment has brought in; with `wait=25` it would go on for ever and be told at once.

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

No test moves money. `simulate` ends a payment in a chosen way, `expire` lets it run out, `POST
/v1/test/advance` lets time pass: expiry, reminders, later attempts, payouts. The header
`Simulate-Error` with a code of the list of errors answers with that error. Send
`X-Service-Strict: true`, and a misspelt field is refused.

```sh
TRIED=$(post /payments '{"amount": 900}' | id)
post /payments/$TRIED/simulate '{"outcome": "declined"}'
post /test/advance '{"days": 2}'
```

## When something fails

Send the same request again, under the same `Idempotency-Key`, where no answer came and after 409,
429 and any 5xx: after the seconds that `Retry-After` says, else after one second, then two, then
four. It is done once, however often it arrives. Any other refusal says what is wrong: the same
request would be refused again. Mend it, and send the new request under a new key.

```sh
curl -sS --retry 5 --retry-connrefused "$API/payments" -H "Authorization: Bearer $KEY" \
  -H "$JSON" -H "Idempotency-Key: order-1002" -d '{"amount": 1250}'
```

## Going live

1. Complete your profile with `PATCH /v1/merchants/{id}`: staff verify your business by it. Until
   then a live key is refused with `MERCHANT_NOT_VERIFIED`.
2. Put the live key where the test key was. Links, webhooks and bank accounts of test mode stay
   there: make those of live mode with the live key.
3. A key for each server, with the scopes it needs, can be rolled and revoked alone.
4. Pay the smallest sum yourself, see the event arrive, and refund it.

## Payouts and reconciliation

Money leaves for your bank account by your schedule, or when you ask. A payout lists the movements
it is made of; a statement has every line of your balance in a period, which is read a minute after
its end. Statements and payments come as CSV, too, for accounting. A test payout arrives by itself,
`POST /v1/test/advance` says how soon; to the account number [[refused_number]] it fails.

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
