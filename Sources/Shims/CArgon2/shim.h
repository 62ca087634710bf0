#ifndef HEARTH_CARGON2_SHIM_H
#define HEARTH_CARGON2_SHIM_H

#include <argon2.h>

/// Computes Argon2 of a password into `out`, on the calling thread alone. Returns ARGON2_OK on success.
static inline int hearth_argon2(
    argon2_type type, uint32_t version, uint32_t memory_kib, uint32_t iterations, uint32_t lanes, const void *password,
    uint32_t password_length, const uint8_t *salt, uint32_t salt_length, const uint8_t *data, uint32_t data_length,
    uint8_t *out, uint32_t out_length) {
  argon2_context context = {
    .out = out,
    .outlen = out_length,
    // The library writes to these only when asked to clear them.
    .pwd = (uint8_t *)password,
    .pwdlen = password_length,
    .salt = (uint8_t *)salt,
    .saltlen = salt_length,
    .ad = (uint8_t *)data,
    .adlen = data_length,
    .t_cost = iterations,
    .m_cost = memory_kib,
    .lanes = lanes,
    .threads = 1,
    .version = version,
    .flags = ARGON2_DEFAULT_FLAGS,
  };
  return argon2_ctx(&context, type);
}

#endif
