// Pay an order with the types of openapi-typescript, by openapi-fetch.
import { strict as assert } from "node:assert";
import createClient from "openapi-fetch";
import type { paths } from "./generated-types";

const client = createClient<paths>({
  baseUrl: process.env.SERVICE,
  headers: { Authorization: `Bearer ${process.env.KEY}` },
});

async function main(): Promise<void> {
  const { data: payment, error } = await client.POST("/v1/payments", {
    params: { header: { "X-Service-Strict": "true" } },
    body: {
      payment_mode: "ORDER_PAY",
      order_id: "types",
      line_items: [{ name: "Atlas", quantity: 2, price: 1250 }],
    },
  });
  assert.ok(payment, error?.code);
  assert.deepEqual([payment.amount, payment.status], [2500, "created"]);
  const params = { path: { payment_id: payment.id } };
  await client.POST("/v1/payments/{payment_id}/confirm", { params, body: {} });
  const { data: paid } = await client.GET("/v1/payments/{payment_id}", { params });
  assert.equal(paid?.status, "completed");
  const { data: refund } = await client.POST("/v1/payments/{payment_id}/refund", {
    params,
    body: { amount: 500 },
  });
  assert.deepEqual([refund?.amount, refund?.status], [500, "succeeded"]);
  console.log("openapi-typescript: paid", payment.id);
}

void main();
