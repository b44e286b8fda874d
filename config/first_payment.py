"""The first chapter of the reference: a payment from nothing, in three languages."""

from typing import Any

CURL = """
# 1. Register. The response shows two keys, only once; the test key moves no money.
KEY=$(curl -sS [[base_url]]/v1/merchants \\
  -H "Content-Type: application/json" \\
  -d '{"name": "Harbour Tours", "email": "owner@example.com"}' \\
  | grep -o 'sk_test_[0-9A-Za-z]*')

# 2. Create a payment of 12.50. Open its checkout_url to see what your customer sees.
PAYMENT=$(curl -sS [[base_url]]/v1/payments \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-1001" \\
  -d '{"amount": 1250, "description": "Two tickets to Rose Island"}' \\
  | grep -o 'pay_[0-9A-Za-z]*' | head -n 1)

# 3. Pay it, as your customer would at the checkout.
curl -sS [[base_url]]/v1/payments/$PAYMENT/confirm \\
  -H "Authorization: Bearer $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"customer_phone": "+12425550100"}'

# 4. Read it: "status" is "completed". Deliver.
curl -sS [[base_url]]/v1/payments/$PAYMENT -H "Authorization: Bearer $KEY"
"""

PYTHON = """
import requests  # pip install requests

API = "[[base_url]]/v1"


def call(method, path, key=None, **options):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = requests.request(
        method, API + path, headers=headers | options.pop("headers", {}), timeout=30, **options
    )
    body = answer.json()
    if not answer.ok:
        raise RuntimeError(f"{body['code']}: {body['error']} {body['details']}")
    return body


# 1. Register. The response shows two keys, only once; the test key moves no money.
shop = {"name": "Harbour Tours", "email": "owner@example.com"}
key = call("POST", "/merchants", json=shop)["api_keys"]["test"]

# 2. Create a payment of 12.50. Open its checkout_url to see what your customer sees.
payment = call(
    "POST",
    "/payments",
    key,
    json={"amount": 1250, "description": "Two tickets to Rose Island"},
    headers={"Idempotency-Key": "order-1001"},
)
print("Customers pay at", payment["checkout_url"])

# 3. Pay it, as your customer would at the checkout.
call("POST", f"/payments/{payment['id']}/confirm", key, json={"customer_phone": "+12425550100"})

# 4. Read its status: it is completed. Deliver.
print("It is", call("GET", f"/payments/{payment['id']}", key)["status"])
"""

NODE = """
const API = "[[base_url]]/v1";

async function call(method, path, { key, body, headers } = {}) {
  const answer = await fetch(API + path, {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(key && { Authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: body && JSON.stringify(body),
  });
  const result = await answer.json();
  if (!answer.ok) throw new Error(`${result.code}: ${result.error} ${result.details}`);
  return result;
}

// 1. Register. The response shows two keys, only once; the test key moves no money.
const shop = { name: "Harbour Tours", email: "owner@example.com" };
const key = (await call("POST", "/merchants", { body: shop })).api_keys.test;

// 2. Create a payment of 12.50. Open its checkout_url to see what your customer sees.
const payment = await call("POST", "/payments", {
  key,
  body: { amount: 1250, description: "Two tickets to Rose Island" },
  headers: { "Idempotency-Key": "order-1001" },
});
console.log("Customers pay at", payment.checkout_url);

// 3. Pay it, as your customer would at the checkout.
const phone = { customer_phone: "+12425550100" };
await call("POST", `/payments/${payment.id}/confirm`, { key, body: phone });

// 4. Read its status: it is completed. Deliver.
const { status } = await call("GET", `/payments/${payment.id}`, { key });
console.log("It is", status);
"""

GUIDE = f"""
# Your first payment in five minutes

Each of these programs runs as it is and needs only this service: it registers a merchant, creates
a payment, pays it in test mode, and reads that it is completed.

## With curl

```sh
{CURL.strip()}
```

## In Python

```python
{PYTHON.strip()}
```

## In Node

Save it as `first.mjs`; Node 18 or later needs no package.

```js
{NODE.strip()}
```

## Next steps

Instead of step 3, send your customer to the `checkout_url`, and set a `success_url` to return to.
Instead of polling in step 4, register a webhook and wait for `payment.completed`: see Receiving
events. When everything works, see Going live: the requests stay the same, only the key changes.
""".strip()


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Put the guide before everything else; a hook of the document's generator."""
    result["info"]["description"] = f"{GUIDE}\n\n{result['info']['description']}"
    return result
