"""`make soak`: a server under mixed load for an hour, to see whether anything grows or becomes slower.

A data folder is filled, and the server is started on it a few times. Then, at a fixed rate, sockets connect, listen, write and
disconnect, REST requests and event streams run, users sign up and sign in, and rules are deployed. Memory, open files and the
folder's size are sampled; latencies are taken for each window of time. At the end the server is started again on the folder, which
has about its first size. The closing table has a line for each window, and the verdict names what grew; the exit status is 1 when
anything did.

`load` generates the requests; `figures` takes the samples and judges them."""
