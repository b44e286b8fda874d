"""AWS Signature Version 4, by the examples that AWS publishes for S3."""

from datetime import UTC, datetime

import pytest

from outbound.aws_signature import AwsKey, signed_headers

KEY = AwsKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
AT = datetime(2013, 5, 24, tzinfo=UTC)
BUCKET = "https://examplebucket.s3.amazonaws.com"
PUT = {
    "Date": "Fri, 24 May 2013 00:00:00 GMT",
    "x-amz-storage-class": "REDUCED_REDUNDANCY",
}
EXAMPLES = {
    "an object": (
        ("GET", "/test.txt", {"Range": "bytes=0-9"}, b""),
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
    "a new object": (
        ("PUT", "/test%24file.text", PUT, b"Welcome to Amazon S3."),
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
    "a setting": (
        ("GET", "/?lifecycle", {}, b""),
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
    "a list": (
        ("GET", "/?max-keys=2&prefix=J", {}, b""),
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_signs_as_the_published_example(name: str) -> None:
    (method, path, headers, body), signature = EXAMPLES[name]

    sent = signed_headers(method, BUCKET + path, headers=headers, body=body, key=KEY, now=AT)

    assert sent["Authorization"].endswith(f"Signature={signature}")


def test_it_names_who_signs_and_what() -> None:
    sent = signed_headers("GET", f"{BUCKET}/x", headers={}, body=b"", key=KEY, now=AT)

    assert sent["Authorization"].startswith(
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        "SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature="
    )
