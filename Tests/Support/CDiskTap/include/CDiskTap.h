// Calls of this process on the files below one folder, seen and judged before they reach the system.
//
// The functions of the C library are taken over by name, so that everything in the process is seen: SQLite's files, and
// those that are written without it. Calls on other files go through.
#ifndef CDISKTAP_H
#define CDISKTAP_H

#include <stdint.h>

enum disk_call_kind {
  DISK_OPEN,      // makes or empties a file: `flags`; others are not told
  DISK_WRITE,     // `count` bytes at `offset`
  DISK_READ,      // at most `count` bytes
  DISK_TRUNCATE,  // to `offset` bytes
  DISK_SYNC,      // a file's bytes, or a folder's names
  DISK_UNLINK,
  DISK_RENAME,    // to `other`
  DISK_LINK,      // as `other` too
};

struct disk_call {
  enum disk_call_kind kind;
  const char *path;
  const char *other;
  const void *bytes;
  int64_t offset;
  int64_t count;
  // Of an open: the file was not there.
  int is_new;
  // Of an open: the file is emptied.
  int is_emptied;
};

// What becomes of a call: a number of bytes that it may take at most, or the error that it fails with, below 0.
typedef int64_t (*disk_judge)(const struct disk_call *call);

// Told of a call that has been made, and how many bytes it took.
typedef void (*disk_witness)(const struct disk_call *call, int64_t count);

// Has calls on what is below the folder be judged and told, one at a time. Neither function may use files. The path is as
// realpath(3) gives it. 0 when calls cannot be taken over on this system.
int disk_tap_begin(const char *folder, disk_judge judge, disk_witness witness);

// Ends that.
void disk_tap_end(void);

#endif
