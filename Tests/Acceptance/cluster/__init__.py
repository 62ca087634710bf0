"""`make cluster`: a PostgreSQL primary with two standbys, three Hearth nodes, and a load balancer, all on this machine.

`postgres` has the primary and the standbys, `balancer` HAProxy, `nodes` the Hearth nodes; `process` starts and ends each of them,
and `ports` holds their ports."""
