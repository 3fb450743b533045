"""The rule pages' controls: what the linter must say about them, and what real shells do when they run."""
