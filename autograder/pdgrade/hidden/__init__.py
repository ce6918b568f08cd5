"""Hidden tests: one module per TODO, called from the hidden regions of the source notebooks."""
