#ifndef HEARTH_CPOSTGRES_SHIM_H
#define HEARTH_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Makes a pipe that does not block and that no other program inherits. Returns 0, or -1 with errno set.
static inline int hearth_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK); }

#endif
