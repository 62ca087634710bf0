"""`make soak`: a server under mixed load for an hour. Does anything grow, or become slower?

A data folder is filled, and the server started on it a few times. Then sockets listen, write, come and go, requests and
streams go over REST, people sign up and in, rules are deployed, all at a fixed rate. Memory, open files and the folder are
sampled; latencies are taken window by window. At the end the server is started again on the folder, which has about the size
that it had. The closing table has a line for each window, and the verdict says what grew; it ends with 1 when anything did.

`load` is what the server is asked; `figures` takes the samples and says how they are judged.
"""
