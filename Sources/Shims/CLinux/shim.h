// Functions that Swift's Glibc module lacks: the state of the clock, readiness of many sockets at once, the processors
// of a thread, and processes that are started with fewer rights than their parent has.
#ifdef __linux__
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <unistd.h>

// The calling thread's processors, one bit each. Return -1 with errno set, else the bytes of the mask (get) or 0 (set).
static inline long linux_getaffinity(void *mask, unsigned long size) {
  return syscall(SYS_sched_getaffinity, 0, size, mask);
}
static inline long linux_setaffinity(const void *mask, unsigned long size) {
  return syscall(SYS_sched_setaffinity, 0, size, mask);
}

// Returns 1 when a service keeps the clock right, as adjtimex(2) reports, or 0, or -1 with errno set.
static inline int linux_is_clock_kept(void) {
  struct timex status = {0};
  const int state = adjtimex(&status);
  return state < 0 ? -1 : state != TIME_ERROR && (status.status & STA_UNSYNC) == 0;
}

// Makes a pipe whose ends no other program inherits. Returns 0, or -1 with errno set.
static inline int linux_pipe(int ends[2], int flags) { return (int)syscall(SYS_pipe2, ends, flags); }

// Closes the descriptors from that one on in a program that is started. Returns 0, or the error code.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
static inline int linux_close_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// A descriptor that is readable when the process has ended; -1 with errno set where there are none.
static inline int linux_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// The resources of a new process. A bound of 0 is the parent's.
struct linux_launch {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;
  // The files that become the descriptors 0, 1 and 2; all three are above 2.
  int input, output, error;
  // The user and group, without further groups, unless changes_user is 0.
  int changes_user;
  uid_t user;
  gid_t group;
  unsigned long long data_bytes, file_bytes, open_files, processes;
};

static inline int linux_bound(int what, unsigned long long value) {
  struct rlimit limit;
  if (value == 0) return 0;
  if (getrlimit(what, &limit) != 0) return -1;
  // A child may not have more than its parent.
  if (value < limit.rlim_max) limit.rlim_max = value;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(what, &limit);
}

// Sets up the new process, whose memory is still the parent's: only system calls are allowed. Returns only on failure,
// with the error code.
static inline int linux_become(const struct linux_launch *launch, pid_t parent) {
  if (setpgid(0, 0) != 0) return errno;
  struct sigaction usual;
  usual.sa_handler = SIG_DFL;
  usual.sa_flags = 0;
  sigemptyset(&usual.sa_mask);
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGKILL && number != SIGSTOP) sigaction(number, &usual, NULL);
  }
  if (chdir(launch->directory) != 0) return errno;
  if (dup2(launch->input, 0) < 0 || dup2(launch->output, 1) < 0 || dup2(launch->error, 2) < 0) return errno;
  if (syscall(SYS_close_range, 3U, ~0U, 0U) != 0) return errno;
  if (linux_bound(RLIMIT_DATA, launch->data_bytes) != 0 || linux_bound(RLIMIT_FSIZE, launch->file_bytes) != 0 ||
      linux_bound(RLIMIT_NOFILE, launch->open_files) != 0 || linux_bound(RLIMIT_NPROC, launch->processes) != 0) {
    return errno;
  }
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return errno;
  // The library's own functions would change the users of the parent's threads.
  if (launch->changes_user &&
      (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, launch->group, launch->group, launch->group) != 0 ||
       syscall(SYS_setresuid, launch->user, launch->user, launch->user) != 0)) {
    return errno;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  // Ends with the thread that started it, and so with the parent.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
  if (getppid() != parent) return ESRCH;
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, NULL);
  execve(launch->path, launch->arguments, launch->environment);
  return errno;
}

// Starts a process in a process group of its own, with these descriptors alone. Returns 0, or the error code.
static inline int linux_start(const struct linux_launch *launch, pid_t *process) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  volatile int problem = 0;
  const pid_t parent = getpid();
  pid_t id = vfork();
  if (id == 0) {
    problem = linux_become(launch, parent);
    _exit(127);
  }
  if (id < 0) problem = errno;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  *process = id;
  return problem;
}
#endif
