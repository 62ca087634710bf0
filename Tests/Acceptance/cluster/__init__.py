"""`make cluster`: a PostgreSQL with two standbys, three servers over it, and a balancer in front, on this machine.

`postgres` is the primary and its standbys, `balancer` is HAProxy, `nodes` are the servers; `process` starts and ends any of
them; `ports` says where each listens.
"""
