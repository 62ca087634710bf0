"""`kill -9` of a server under load, and what must be true of its folder after it.

`line` is what one writer does and what may be found of it; `writers`, `listener` and `sign_ups` are the load; `life` is
one folder over many kills; `inside` looks into the journal of a server that is dead.
"""
