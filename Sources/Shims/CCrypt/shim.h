#ifndef HEARTH_CCRYPT_SHIM_H
#define HEARTH_CCRYPT_SHIM_H

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

/// The number of bytes of a password that bcrypt uses; it ignores the rest, and crypt_r refuses more than 511.
#define HEARTH_BCRYPT_PASSWORD_BYTES 72

/// Computes bcrypt of `password`, which has no zero byte, with the cost and salt of the C string `setting`, into `out`,
/// which has CRYPT_OUTPUT_SIZE bytes. Returns the length of the result, or 0 for every failure, also for those that
/// crypt_r reports by a text that begins with '*'.
///
/// Works in memory of its own that is wiped afterwards: struct crypt_data has 32 KiB, too much for the stack of a small
/// thread, and Swift would see its fields as tuples of thousands of bytes.
static inline size_t hearth_bcrypt(
    const void *password, size_t password_length, const unsigned char *setting, unsigned char *out) {
  char phrase[HEARTH_BCRYPT_PASSWORD_BYTES + 1] = {0};
  memcpy(phrase, password, password_length < sizeof phrase ? password_length : sizeof phrase - 1);
  struct crypt_data *data = calloc(1, sizeof *data);
  size_t length = 0;
  if (data != NULL) {
    const char *result = crypt_r(phrase, (const char *)setting, data);
    if (result != NULL && result[0] != '*') {
      length = strnlen(result, CRYPT_OUTPUT_SIZE - 1);
      memcpy(out, result, length);
    }
    explicit_bzero(data, sizeof *data);
    free(data);
  }
  explicit_bzero(phrase, sizeof phrase);
  return length;
}

#endif
