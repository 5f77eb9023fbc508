"""Pictures of views, as SVG and PNG."""
