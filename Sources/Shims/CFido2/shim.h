#ifndef HEARTH_CFIDO2_SHIM_H
#define HEARTH_CFIDO2_SHIM_H

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <stddef.h>

// Signatures of authenticators, checked by libfido2. Nothing here talks to a device. Each function returns FIDO_OK, or
// an error code.

/// A public key in the library's form: x and y of ES256, x of EdDSA, the modulus and the exponent of RS256.
typedef struct {
  int algorithm;
  es256_pk_t *es256;
  eddsa_pk_t *eddsa;
  rs256_pk_t *rs256;
} hearth_fido_key;

static inline void hearth_fido_key_free(hearth_fido_key *key) {
  es256_pk_free(&key->es256);
  eddsa_pk_free(&key->eddsa);
  rs256_pk_free(&key->rs256);
}

/// Reads a key from its numbers; a point that is not on the curve is none. Free it with hearth_fido_key_free, also when
/// this fails.
static inline int hearth_fido_key_read(hearth_fido_key *key, int algorithm, const unsigned char *bytes, size_t length) {
  *key = (hearth_fido_key){.algorithm = algorithm};
  switch (algorithm) {
    case COSE_ES256:
      if (length != 64 || (key->es256 = es256_pk_new()) == NULL) return FIDO_ERR_INVALID_ARGUMENT;
      return es256_pk_from_ptr(key->es256, bytes, length);
    case COSE_EDDSA:
      if (length != 32 || (key->eddsa = eddsa_pk_new()) == NULL) return FIDO_ERR_INVALID_ARGUMENT;
      return eddsa_pk_from_ptr(key->eddsa, bytes, length);
    case COSE_RS256:
      if (length != 259 || (key->rs256 = rs256_pk_new()) == NULL) return FIDO_ERR_INVALID_ARGUMENT;
      return rs256_pk_from_ptr(key->rs256, bytes, length);
    default: return FIDO_ERR_UNSUPPORTED_ALGORITHM;
  }
}

/// Verifies the signature of an assertion over its authenticator data and the hash of its client data.
///
/// `extensions` are those that the authenticator data holds, of FIDO_EXT_*.
static inline int hearth_fido_verify_assertion(
    const hearth_fido_key *key, const char *rp_id, const unsigned char *client_data_hash, size_t client_data_hash_length,
    const unsigned char *data, size_t data_length, const unsigned char *signature, size_t signature_length,
    int extensions) {
  const void *bare = NULL;
  if (key->algorithm == COSE_ES256) bare = key->es256;
  if (key->algorithm == COSE_EDDSA) bare = key->eddsa;
  if (key->algorithm == COSE_RS256) bare = key->rs256;
  fido_assert_t *assertion = fido_assert_new();
  if (assertion == NULL || bare == NULL) {
    fido_assert_free(&assertion);
    return FIDO_ERR_INVALID_ARGUMENT;
  }
  int result = fido_assert_set_count(assertion, 1);
  if (result == FIDO_OK) result = fido_assert_set_rp(assertion, rp_id);
  if (result == FIDO_OK) result = fido_assert_set_clientdata_hash(assertion, client_data_hash, client_data_hash_length);
  if (result == FIDO_OK) result = fido_assert_set_authdata_raw(assertion, 0, data, data_length);
  if (result == FIDO_OK) result = fido_assert_set_sig(assertion, 0, signature, signature_length);
  if (result == FIDO_OK) result = fido_assert_set_extensions(assertion, extensions);
  if (result == FIDO_OK) result = fido_assert_set_up(assertion, FIDO_OPT_TRUE);
  if (result == FIDO_OK) result = fido_assert_verify(assertion, 0, key->algorithm, bare);
  fido_assert_free(&assertion);
  return result;
}

/// Verifies the signature of an attestation statement: by the certificate in it, or by the new key itself (`is_self`).
static inline int hearth_fido_verify_attestation(
    const char *format, int is_self, int algorithm, const char *rp_id, const unsigned char *client_data_hash,
    size_t client_data_hash_length, const unsigned char *data, size_t data_length, const unsigned char *statement,
    size_t statement_length, int extensions, int protection, size_t pin_length_min) {
  fido_cred_t *credential = fido_cred_new();
  if (credential == NULL) return FIDO_ERR_INTERNAL;
  int result = fido_cred_set_type(credential, algorithm);
  if (result == FIDO_OK) result = fido_cred_set_rp(credential, rp_id, NULL);
  if (result == FIDO_OK) result = fido_cred_set_fmt(credential, format);
  if (result == FIDO_OK) result = fido_cred_set_clientdata_hash(credential, client_data_hash, client_data_hash_length);
  if (result == FIDO_OK) result = fido_cred_set_authdata_raw(credential, data, data_length);
  if (result == FIDO_OK) result = fido_cred_set_attstmt(credential, statement, statement_length);
  if (result == FIDO_OK) result = fido_cred_set_extensions(credential, extensions);
  if (result == FIDO_OK && protection != 0) result = fido_cred_set_prot(credential, protection);
  if (result == FIDO_OK && pin_length_min != 0) result = fido_cred_set_pin_minlen(credential, pin_length_min);
  if (result == FIDO_OK) result = is_self ? fido_cred_verify_self(credential) : fido_cred_verify(credential);
  fido_cred_free(&credential);
  return result;
}

#endif
