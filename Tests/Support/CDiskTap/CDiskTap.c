#define _GNU_SOURCE
#include "include/CDiskTap.h"

#if defined(__linux__) && defined(__GLIBC__) && defined(__x86_64__)

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES_MAX 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_on;
static char *folder;
static size_t folder_length;
static disk_judge judge;
static disk_witness witness;
// By descriptor. Changed under the lock.
static char *_Atomic paths[FILES_MAX];

#define REAL(name) ((__typeof__(&name))real(#name, &next_##name))
#define NEXT(name) static void *_Atomic next_##name

static void *real(const char *name, void *_Atomic *place) {
  void *found = atomic_load_explicit(place, memory_order_relaxed);
  if (!found) {
    found = dlsym(RTLD_NEXT, name);
    atomic_store_explicit(place, found, memory_order_relaxed);
  }
  return found;
}

// Whether a path is the folder or below it. Under the lock.
static int is_below(const char *path) {
  return folder && !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

// The path of a descriptor that is looked at; nil for all others. Under the lock.
static const char *path_of(int file) {
  return file >= 0 && file < FILES_MAX ? atomic_load_explicit(&paths[file], memory_order_relaxed) : NULL;
}

static int is_watched(int file) {
  return file >= 0 && file < FILES_MAX && atomic_load_explicit(&paths[file], memory_order_relaxed) != NULL;
}

int disk_tap_begin(const char *path, disk_judge new_judge, disk_witness new_witness) {
  pthread_mutex_lock(&lock);
  free(folder);
  folder = strdup(path);
  folder_length = strlen(path);
  judge = new_judge;
  witness = new_witness;
  atomic_store(&is_on, 1);
  pthread_mutex_unlock(&lock);
  return 1;
}

void disk_tap_end(void) {
  pthread_mutex_lock(&lock);
  atomic_store(&is_on, 0);
  free(folder);
  folder = NULL;
  for (int i = 0; i < FILES_MAX; i++) free(atomic_exchange(&paths[i], NULL));
  pthread_mutex_unlock(&lock);
}

// MARK: Names

static int opened(int file, const char *path) {
  if (file >= 0 && file < FILES_MAX) free(atomic_exchange(&paths[file], strdup(path)));
  return file;
}

typedef int (*opener)(const char *, int, ...);

static int tapped_open(opener next, const char *path, int flags, mode_t mode) {
  if (!atomic_load_explicit(&is_on, memory_order_acquire)) return next(path, flags, mode);
  pthread_mutex_lock(&lock);
  int file = -1;
  if (!is_below(path)) {
    pthread_mutex_unlock(&lock);
    return next(path, flags, mode);
  }
  struct stat status;
  int is_there = lstat(path, &status) == 0;
  struct disk_call call = {.kind = DISK_OPEN, .path = path};
  call.is_new = (flags & O_CREAT) && !is_there;
  call.is_emptied = (flags & O_TRUNC) && is_there;
  int64_t verdict = call.is_new || call.is_emptied ? judge(&call) : 0;
  if (verdict < 0) {
    errno = (int)-verdict;
  } else {
    file = opened(next(path, flags, mode), path);
    if (file >= 0 && (call.is_new || call.is_emptied)) witness(&call, 0);
  }
  int reason = errno;
  pthread_mutex_unlock(&lock);
  errno = reason;
  return file;
}

static mode_t mode_of(int flags, va_list rest) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

NEXT(open);
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return tapped_open((opener)REAL(open), path, flags, mode);
}

NEXT(open64);
int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return tapped_open((opener)REAL(open64), path, flags, mode);
}

NEXT(close);
int close(int file) {
  if (is_watched(file)) {
    pthread_mutex_lock(&lock);
    free(atomic_exchange(&paths[file], NULL));
    pthread_mutex_unlock(&lock);
  }
  return REAL(close)(file);
}

NEXT(unlink);
int unlink(const char *path) {
  if (!atomic_load_explicit(&is_on, memory_order_acquire)) return REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  int result = -1;
  struct stat status;
  if (!is_below(path) || lstat(path, &status) != 0) {
    result = REAL(unlink)(path);
  } else {
    struct disk_call call = {.kind = DISK_UNLINK, .path = path};
    int64_t verdict = judge(&call);
    if (verdict < 0) {
      errno = (int)-verdict;
    } else if ((result = REAL(unlink)(path)) == 0) {
      witness(&call, 0);
    }
  }
  int reason = errno;
  pthread_mutex_unlock(&lock);
  errno = reason;
  return result;
}

typedef int (*namer)(const char *, const char *);

static int tapped_name(namer next, enum disk_call_kind kind, const char *path, const char *other) {
  if (!atomic_load_explicit(&is_on, memory_order_acquire)) return next(path, other);
  pthread_mutex_lock(&lock);
  int result = -1;
  if (!is_below(path) || !is_below(other)) {
    result = next(path, other);
  } else {
    struct disk_call call = {.kind = kind, .path = path, .other = other};
    int64_t verdict = judge(&call);
    if (verdict < 0) {
      errno = (int)-verdict;
    } else if ((result = next(path, other)) == 0) {
      witness(&call, 0);
    }
  }
  int reason = errno;
  pthread_mutex_unlock(&lock);
  errno = reason;
  return result;
}

NEXT(rename);
int rename(const char *path, const char *other) { return tapped_name(REAL(rename), DISK_RENAME, path, other); }

NEXT(link);
int link(const char *path, const char *other) { return tapped_name(REAL(link), DISK_LINK, path, other); }

NEXT(mkstemp);
int mkstemp(char *path) {
  if (!atomic_load_explicit(&is_on, memory_order_acquire)) return REAL(mkstemp)(path);
  pthread_mutex_lock(&lock);
  int file = -1;
  if (!is_below(path)) {
    file = REAL(mkstemp)(path);
  } else {
    struct disk_call call = {.kind = DISK_OPEN, .path = path, .is_new = 1};
    int64_t verdict = judge(&call);
    if (verdict < 0) {
      errno = (int)-verdict;
    } else if ((file = opened(REAL(mkstemp)(path), path)) >= 0) {
      witness(&call, 0);
    }
  }
  int reason = errno;
  pthread_mutex_unlock(&lock);
  errno = reason;
  return file;
}

// MARK: Bytes

typedef ssize_t (*maker)(int file, const struct disk_call *call, size_t count);

// Judges a call on a watched descriptor, makes it, and tells of it.
static ssize_t make(int file, struct disk_call *call, maker next) {
  pthread_mutex_lock(&lock);
  ssize_t result = -1;
  call->path = path_of(file);
  if (!call->path) {
    result = next(file, call, (size_t)call->count);
  } else {
    int64_t verdict = judge(call);
    if (verdict < 0) {
      errno = (int)-verdict;
    } else {
      size_t count = verdict > 0 && verdict < call->count ? (size_t)verdict : (size_t)call->count;
      result = next(file, call, count);
      if (result >= 0) witness(call, result);
    }
  }
  int reason = errno;
  pthread_mutex_unlock(&lock);
  errno = reason;
  return result;
}

NEXT(pwrite);
static ssize_t next_of_pwrite(int file, const struct disk_call *call, size_t count) {
  return REAL(pwrite)(file, call->bytes, count, call->offset);
}
static ssize_t tapped_pwrite(int file, const void *bytes, size_t count, int64_t offset) {
  struct disk_call call = {.kind = DISK_WRITE, .bytes = bytes, .count = (int64_t)count, .offset = offset};
  return make(file, &call, next_of_pwrite);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return is_watched(file) ? tapped_pwrite(file, bytes, count, offset) : REAL(pwrite)(file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return pwrite(file, bytes, count, offset); }

NEXT(write);
static ssize_t next_of_write(int file, const struct disk_call *call, size_t count) {
  return REAL(write)(file, call->bytes, count);
}
ssize_t write(int file, const void *bytes, size_t count) {
  if (!is_watched(file)) return REAL(write)(file, bytes, count);
  int flags = fcntl(file, F_GETFL);
  off_t offset = lseek(file, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
  struct disk_call call = {.kind = DISK_WRITE, .bytes = bytes, .count = (int64_t)count, .offset = offset};
  return make(file, &call, next_of_write);
}

NEXT(pread);
static ssize_t next_of_pread(int file, const struct disk_call *call, size_t count) {
  return REAL(pread)(file, (void *)call->bytes, count, call->offset);
}
ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  if (!is_watched(file)) return REAL(pread)(file, bytes, count, offset);
  struct disk_call call = {.kind = DISK_READ, .bytes = bytes, .count = (int64_t)count, .offset = offset};
  return make(file, &call, next_of_pread);
}
ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) { return pread(file, bytes, count, offset); }

NEXT(read);
static ssize_t next_of_read(int file, const struct disk_call *call, size_t count) {
  return REAL(read)(file, (void *)call->bytes, count);
}
ssize_t read(int file, void *bytes, size_t count) {
  if (!is_watched(file)) return REAL(read)(file, bytes, count);
  struct disk_call call = {.kind = DISK_READ, .bytes = bytes, .count = (int64_t)count};
  return make(file, &call, next_of_read);
}

NEXT(ftruncate);
static ssize_t next_of_ftruncate(int file, const struct disk_call *call, size_t count) {
  (void)count;
  return REAL(ftruncate)(file, call->offset);
}
int ftruncate(int file, off_t size) {
  if (!is_watched(file)) return REAL(ftruncate)(file, size);
  struct disk_call call = {.kind = DISK_TRUNCATE, .offset = size};
  return (int)make(file, &call, next_of_ftruncate);
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

NEXT(fsync);
static ssize_t next_of_fsync(int file, const struct disk_call *call, size_t count) {
  (void)file, (void)call, (void)count;
  // What is durable is the witness's to say: the machine does not stop in a test.
  return 0;
}
int fsync(int file) {
  if (!is_watched(file)) return REAL(fsync)(file);
  struct disk_call call = {.kind = DISK_SYNC};
  return (int)make(file, &call, next_of_fsync);
}
NEXT(fdatasync);
int fdatasync(int file) {
  if (!is_watched(file)) return REAL(fdatasync)(file);
  return fsync(file);
}

#else

int disk_tap_begin(const char *path, disk_judge judge, disk_witness witness) {
  (void)path, (void)judge, (void)witness;
  return 0;
}

void disk_tap_end(void) {}

#endif
