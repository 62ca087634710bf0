"""`make torture`: long runs that may be stopped at any moment and go on where they were, with a table at their end.

`state` is the file that remembers; `rows` says what there is to run; `commands` and `killing` run it; `table` shows it.
"""
