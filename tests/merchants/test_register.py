"""POST /v1/merchants"""

from merchants.models import ApiKey, Merchant


def test_it_registers_a_merchant_with_a_key_per_mode(api):
    response = api(None).post("/v1/merchants", {"name": "Café Ümit", "email": "a@example.com"})

    assert response.status_code == 201
    merchant = Merchant.objects.get()
    body = response.json()
    assert response["Location"] == f"/v1/merchants/{merchant.id}"
    keys = body.pop("api_keys")
    assert list(body)[:6] == ["id", "name", "slug", "category", "email", "created_at"]
    assert body["slug"] == "cafe-umit"
    assert sorted(keys) == ["live", "test"]
    assert ApiKey.objects.count() == 2
    for secret in keys.values():
        read = api(None).get(response["Location"], authorization=f"Bearer {secret}")
        assert read.json() == body
