"""Read what a PDF of ours says."""

import base64
import re
import zlib


def text_of(pdf: bytes) -> str:
    """Return the lines of text that a PDF of ours draws."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    drawn = b"".join(
        zlib.decompress(base64.a85decode(b"<~" + part, adobe=True)) for part in streams
    )
    lines = re.findall(r"\((.*)\) Tj", drawn.decode("latin-1").replace(") Tj (", ""))
    return "\n".join(re.sub(r"\\([()\\])", r"\1", line) for line in lines)
