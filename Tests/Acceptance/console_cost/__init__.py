"""Measures what an open console costs the server: the processor time of a write without a console, with an SDK listener on the same
children, and with all requests of the console's page."""
