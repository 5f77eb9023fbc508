"""The content security policy of the page: in its HTML, its service worker, and each answer of `serve`."""

POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'"
)
"""No script but the site's own files, and no network but the place that they came from."""
