"""One file per page; every file here is loaded by itself and appears in the navigation."""
