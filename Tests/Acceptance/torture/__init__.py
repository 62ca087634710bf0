"""`make torture`: long runs that may be interrupted and resumed, with a table at their end.

`state` is the file with the progress; `rows` lists the runs; `commands` and `killing` execute them; `table` prints the result."""
