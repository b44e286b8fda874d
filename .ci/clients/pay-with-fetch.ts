// Pay an order with the client of openapi-generator's `typescript-fetch`.
import { strict as assert } from "node:assert";
import { Configuration, PaymentsApi, RefundsApi } from "./generated-fetch";

const configuration = new Configuration({
  basePath: process.env.SERVICE,
  accessToken: process.env.KEY,
});

async function main(): Promise<void> {
  const payments = new PaymentsApi(configuration);
  const payment = await payments.createPayment({
    xServiceStrict: "true",
    newPaymentRequest: {
      paymentMode: "ORDER_PAY",
      orderId: "fetch",
      lineItems: [{ name: "Atlas", quantity: 2, price: 1250 }],
    },
  });
  assert.deepEqual([payment.amount, payment.status], [2500, "created"]);
  await payments.confirmPayment({ paymentId: payment.id, confirmationRequest: {} });
  assert.equal((await payments.getPayment({ paymentId: payment.id })).status, "completed");
  const refund = await new RefundsApi(configuration).createRefund({
    paymentId: payment.id,
    newRefundRequest: { amount: 500 },
  });
  assert.deepEqual([refund.amount, refund.status], [500, "succeeded"]);
  console.log("openapi-generator, typescript-fetch: paid", payment.id);
}

void main();
