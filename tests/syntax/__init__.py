"""What the tests of the parser share, with benchmarks/conformance.py."""
