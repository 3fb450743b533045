"""shellguard finds the ways in which a shell script can fail and still report success."""

__version__ = "0.1.0"
