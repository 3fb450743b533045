"""Findings to text, one format per module."""
