"""The paths by which others watch the service, which are not the requests of visitors."""

PROBES = ("/healthz", "/readyz")  # of proxies and orchestrators
MONITORING = (*PROBES, "/metrics")  # and of Prometheus
