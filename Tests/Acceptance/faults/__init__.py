"""Real faults of a cluster under load, and checks of everything that its clients did and saw.

`history` records what the clients did and saw, `truth` reads the log; `check` and `listening` compare the two. `connection` is one
client's socket; `writing`, `asking` and `rooms` generate the load. A `lap` is several faults under load with their findings;
`nodes` has the faults of nodes. `network` puts each node, and each PostgreSQL of `patroni`, into a network namespace whose links
can be cut. `python -m faults` runs many laps, and resumes after its last completed one."""
