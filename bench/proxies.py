"""The proxies of `deploy/`, in front of local instances: the same site configuration, with other
addresses and without certificates.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

DEPLOY = Path(__file__).parent.parent / "deploy"


def nginx(directory: Path, port: int, ports: list[int]) -> list[str]:
    """Write nginx's configuration; return the command that runs it."""
    site = (DEPLOY / "nginx.conf").read_text()
    servers = "\n".join(rf"    server 127.0.0.1:{each}\2;" for each in ports)
    site = re.sub(r"( *server 127\.0\.0\.1:\d+([^;]*);\n)+", f"{servers}\n", site, count=1)
    site = re.sub(r"^ *(ssl_|add_header Strict|listen \[::\]).*\n", "", site, flags=re.MULTILINE)
    site = re.sub(r"listen [^;]*443[^;]*;", f"listen 127.0.0.1:{port};", site)
    site = re.sub(r"server \{\s*listen [^}]*80;[^}]*\}\n", "", site)
    site = site.replace("$scheme", "https").replace("/var/log/nginx/", f"{directory}/")
    config = directory / "nginx.conf"
    config.write_text(
        f"daemon off; user root; pid {directory}/nginx.pid; error_log {directory}/nginx.log;\n"
        f"events {{}}\nhttp {{ access_log {directory}/access.log;\n"
        f"client_body_temp_path {directory}/body;\n"
        f"proxy_temp_path {directory}/proxy; fastcgi_temp_path {directory}/fastcgi;\n"
        f"uwsgi_temp_path {directory}/uwsgi; scgi_temp_path {directory}/scgi;\n{site}\n}}\n"
    )
    return ["nginx", "-c", str(config), "-p", str(directory), "-e", f"{directory}/nginx.log"]


def caddy(directory: Path, port: int, ports: list[int]) -> list[str]:
    """Write Caddy's configuration; return the command that runs it."""
    site = (DEPLOY / "Caddyfile").read_text()
    servers = " ".join(f"127.0.0.1:{each}" for each in ports)
    site = re.sub(r"\{\$UPSTREAMS:[^}]*\}", servers, site)
    hosts = f"http://127.0.0.1:{port}, http://bench.localhost:{port} "
    site = re.sub(r"^\{\$SITE\} ", hosts, site, flags=re.MULTILINE)
    site = site.replace("{scheme}", "https")
    config = directory / "Caddyfile"
    config.write_text(site.replace("{\n", "{\n\tadmin off\n\tauto_https off\n", 1))
    return ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]


PROXIES: Mapping[str, Callable[[Path, int, list[int]], list[str]]] = {
    "nginx": nginx,
    "caddy": caddy,
}
