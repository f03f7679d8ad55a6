"""The command line: each command opens the parts, calls a domain, and prints for people (or `--json`)."""
