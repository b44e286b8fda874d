"""The paths that monitoring requests, which count as no visitor's."""

PROBES = ("/healthz", "/readyz")  # by proxies and orchestrators
MONITORING = (*PROBES, "/metrics")  # and by Prometheus
