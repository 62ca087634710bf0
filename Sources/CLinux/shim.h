// What Swift's Glibc module leaves out: readiness of many sockets at once, and the processors of a thread.
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

// The calling thread's processors, one bit each. Return -1 with errno set, else the bytes of the mask (get) or 0 (set).
static inline long linux_getaffinity(void *mask, unsigned long size) {
  return syscall(SYS_sched_getaffinity, 0, size, mask);
}
static inline long linux_setaffinity(const void *mask, unsigned long size) {
  return syscall(SYS_sched_setaffinity, 0, size, mask);
}
#endif
