"""Pictures of a view, as SVG and PNG."""
