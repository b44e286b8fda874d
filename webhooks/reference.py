"""The reference of webhooks: the requests, how to verify them, a sample of each."""

from typing import Any

from webhooks.event_schemas import add_event_schemas, event_name, sample_event
from webhooks.event_types import MEANINGS, EventType
from webhooks.samples import Payload, samples

PYTHON = '''
import base64
import hmac
import json
import os
import time

SECRET = os.environ["WEBHOOK_SECRET"]  # whsec_…, shown when the webhook was registered


def read_event(headers, body):
    """Return the event of a genuine request. Headers in lower case, the body as raw bytes."""
    sent_at, given = headers["webhook-timestamp"], headers["webhook-signature"]
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    if not any(hmac.compare_digest(expected, each) for each in given.split()):
        raise ValueError("This request is not from the payment service.")
    if abs(time.time() - int(sent_at)) > 300:
        raise ValueError("This request is too old.")
    return json.loads(body)
'''

JAVASCRIPT = """
import { createHmac, timingSafeEqual } from "node:crypto";

const SECRET = process.env.WEBHOOK_SECRET; // whsec_…, shown when the webhook was registered

// Return the event of a genuine request. Headers in lower case, the body as a Buffer.
export function readEvent(headers, body) {
  const sentAt = headers["webhook-timestamp"];
  const key = Buffer.from(SECRET.replace("whsec_", ""), "base64");
  const hmac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${sentAt}.`).update(body);
  const expected = Buffer.from("v1," + hmac.digest("base64"));
  const given = headers["webhook-signature"].split(" ").map((each) => Buffer.from(each));
  if (!given.some((each) => each.length === expected.length && timingSafeEqual(each, expected)))
    throw new Error("This request is not from the payment service.");
  if (Math.abs(Date.now() / 1000 - Number(sentAt)) > 300)
    throw new Error("This request is too old.");
  return JSON.parse(body);
}
"""

BODY_ONLY = """
expected = hmac.new(SECRET.encode(), body, "sha256").hexdigest()
is_genuine = hmac.compare_digest(expected, headers["x-service-signature"])
is_fresh = abs(time.time() * 1000 - int(headers["x-service-timestamp"])) <= 300_000
"""

GUIDE = f"""
## Receiving events

Register an endpoint with `POST /v1/webhooks`: its `url`, and in `events` the types it subscribes
to, groups such as `payment.*`, or `*` for everything. Each event is a POST with `id`, `type`,
`created`, `data` and a few more fields; each type has a sample below. Answer with any 2xx status
within [[webhook_timeout]], and process the event afterwards. Any other result, including a
redirect, is retried: the next attempts are made [[webhook_waits]] after the previous one; if all
fail, you get an e-mail. A 410 disables the endpoint, and so do [[webhook_off]] without a success.

An event may be delivered more than once, and a retry may arrive after later events: store the `id`
of each event you have handled. The bytes are the same each time. First attempts about the same
object arrive in order. `sequence` numbers the events of your mode without gaps, in the order in
which they happened; `previous_sequence` is the number of the previous event about the same object.
A test event has `test: true` and no number: nothing it says has happened.

To start from scratch, or to catch up after your endpoint was down, read the feed instead:
`GET /v1/events?after=0` returns the oldest events first; continue from the `sequence` of the last
one you have handled. With `wait=[[wait_most]]` the request waits up to [[wait_most]] seconds for
new events. If an empty response comes back early, it has `Retry-After`: ask again after that many
seconds.

| header | content |
|---|---|
| `webhook-id` | the id of the event |
| `webhook-timestamp` | when this attempt was made, in seconds since 1970 |
| `webhook-signature` | `v1,` and a signature of id, timestamp and body; two during a rotation |
| `X-Service-Signature` | HMAC-SHA256 of the body in lowercase hex, keyed with the whole secret |
| `X-Service-Timestamp` | when this attempt was made, in milliseconds since 1970 |
| `X-Service-Signature-Previous` | the same with the old secret, during a rotation |
| `X-Service-Checkpoint` | the signed head of the ledger's log, in base64: keep it as evidence |

The first three follow [Standard Webhooks](https://www.standardwebhooks.com): its libraries for a
dozen languages verify them unchanged, in Python `Webhook(secret).verify(body, headers)`. Without
a library, in Python:

```python
{PYTHON.strip()}
```

In Node:

```js
{JAVASCRIPT.strip()}
```

`X-Service-Signature` is simpler, but covers only the body: anyone who records a request could
replay it with a new timestamp.

```python
{BODY_ONLY.strip()}
```

Verify the raw bytes of the body, before anything parses them. `POST /v1/webhooks/test` sends a
sample of any type immediately and returns what your endpoint answered.
`GET /v1/webhooks/{{id}}/deliveries` shows every attempt; `POST …/recover` resends failed
deliveries. Rotate the secret every 90 days with `POST …/rotate-secret`: for [[secrets_overlap]]
requests are signed with both secrets.
""".strip()

HEADERS = {
    "webhook-id": "The id of the event.",
    "webhook-timestamp": "When this attempt was made, in seconds since 1970.",
    "webhook-signature": "`v1,` and a signature of id, timestamp and body; two during a rotation.",
    "X-Service-Signature": "HMAC-SHA256 of the body in lowercase hex, keyed with the whole secret.",
    "X-Service-Timestamp": "When this attempt was made, in milliseconds since 1970.",
}


def describe(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the guide, and every event with its sample; a hook of the document's generator."""
    result["info"]["description"] = GUIDE
    made = samples()
    add_event_schemas(result["components"]["schemas"], made)
    result["components"]["parameters"] = {
        name: {
            "in": "header",
            "name": name,
            "required": True,
            "description": meaning,
            "schema": {"type": "string"},
        }
        for name, meaning in HEADERS.items()
    }
    result["webhooks"] = {each.value: {"post": _request_of(each, made[each])} for each in EventType}
    return result


def _request_of(event_type: EventType, data: Payload) -> dict[str, Any]:
    name = event_name(event_type)
    content = {
        "application/json": {
            "schema": {"$ref": f"#/components/schemas/{name}"},
            "example": sample_event(event_type, data),
        }
    }
    return {
        "summary": event_type.value,
        "description": MEANINGS[event_type],
        "operationId": f"receive{name.removesuffix('Event')}",
        "tags": ["Webhook events"],
        # Clients do not send these, and openapi-generator would make invalid Python of them.
        "x-internal": True,
        "security": [],
        "parameters": [{"$ref": f"#/components/parameters/{header}"} for header in HEADERS],
        "requestBody": {"required": True, "content": content},
        "responses": {"2XX": {"description": "Acknowledged: the event is delivered."}},
    }
