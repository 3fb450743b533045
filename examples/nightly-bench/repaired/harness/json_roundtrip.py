"""Scenario: write a nested document as JSON and read it back."""

from __future__ import annotations

import json
import sys

from measure import measure

DOCUMENT = {str(number): {"value": number, "squares": [n * n for n in range(number % 7)]} for number in range(200)}


def work() -> int:
    """Sum the values of the document that comes back."""
    return sum(entry["value"] for entry in json.loads(json.dumps(DOCUMENT)).values())


if __name__ == "__main__":
    sys.exit(measure("json-roundtrip", work, expected=19900))
