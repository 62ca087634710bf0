"""What an open console costs the server: processor time of a write without it, with a listener of an SDK on the same children, and
with everything that the page of the console asks for."""
