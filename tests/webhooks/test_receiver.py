"""The merchant's server of the tests notes what has arrived, and nothing else."""

import socket

from tests.webhooks.receiver import Receiver

HEAD = b"POST /say/200 HTTP/1.1\r\nHost: shop\r\nContent-Length: 4\r\n\r\n"


def test_what_its_sender_did_not_finish_has_not_arrived(receiver: Receiver) -> None:
    before = len(receiver.received())

    for body in (b"", b"ab", b"abcd"):
        with socket.create_connection(("127.0.0.1", receiver.port)) as connection:
            connection.sendall(HEAD + body)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1_000)

    assert [each.body for each in receiver.received()[before:]] == [b"abcd"]
