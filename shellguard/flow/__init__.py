"""Facts about how shells behave, built from the tree."""
