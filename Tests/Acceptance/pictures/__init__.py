"""The pictures of the README and the guides, taken from a running server and from commands: see `make pictures`."""
