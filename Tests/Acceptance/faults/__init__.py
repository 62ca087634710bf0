"""Real faults of a cluster under load, and what must be true of all that its clients did and saw.

`history` is what they did and saw, `truth` what the log holds, `check` and `listening` hold one against the other.
`connection` is one client's socket; `writing`, `asking` and `rooms` are the load. `lap` is some faults under load and what
came of them; `nodes` are faults of nodes. `network` has each node, and each PostgreSQL of `patroni`, in a network of its
own, whose cables can be cut. `python -m faults` runs many laps, and goes on where it was.
"""
