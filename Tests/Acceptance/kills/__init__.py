"""`kill -9` of a server under load, and checks of its data folder afterwards.

`line` has the operations of one writer, and the states that may be found after a crash; `writers`, `listener` and `sign_ups`
generate the load; `life` is one folder over many kills, and `large` one whose data is larger than the memory for it; `inside` reads the journal of a
killed server."""
