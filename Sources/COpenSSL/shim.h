#ifndef HEARTH_COPENSSL_SHIM_H
#define HEARTH_COPENSSL_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

// Wrappers for what Swift cannot call: macros, callbacks and parameter lists.

/// Answers every question for a passphrase with an empty one. Without it OpenSSL asks on the controlling terminal.
static inline int hearth_no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer;
  (void)size;
  (void)writing;
  (void)context;
  return 0;
}

/// The private key in a PEM text, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_private_key_from_pem(const void *pem, size_t length) {
  if (length == 0 || length > INT_MAX) return NULL;
  BIO *bio = BIO_new_mem_buf(pem, (int)length);
  if (bio == NULL) return NULL;
  EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, hearth_no_passphrase, NULL);
  BIO_free(bio);
  return key;
}

/// The public key in a PEM text ("BEGIN PUBLIC KEY"), or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_public_key_from_pem(const void *pem, size_t length) {
  if (length == 0 || length > INT_MAX) return NULL;
  BIO *bio = BIO_new_mem_buf(pem, (int)length);
  if (bio == NULL) return NULL;
  EVP_PKEY *key = PEM_read_bio_PUBKEY(bio, NULL, hearth_no_passphrase, NULL);
  BIO_free(bio);
  return key;
}

/// Writes a key as PEM (PKCS#8 when private, SubjectPublicKeyInfo when not) into a memory BIO, or returns NULL.
/// Free it with BIO_free; read it with hearth_bio_bytes.
static inline BIO *hearth_pem_from_key(const EVP_PKEY *key, int is_private) {
  // Secure-heap BIO: the text of a private key is wiped when it is freed.
  BIO *bio = BIO_new(BIO_s_secmem());
  if (bio == NULL) return NULL;
  int ok = is_private ? PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)
                      : PEM_write_bio_PUBKEY(bio, (EVP_PKEY *)key);
  if (ok != 1) {
    BIO_free(bio);
    return NULL;
  }
  return bio;
}

/// The bytes a memory BIO holds; borrowed from it.
static inline size_t hearth_bio_bytes(BIO *bio, char **bytes) {
  long length = BIO_get_mem_data(bio, bytes);
  return length > 0 ? (size_t)length : 0;
}

/// A new RSA key of that many bits, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_rsa_generate(size_t bits) { return EVP_RSA_gen(bits); }

/// 1 when the key is plain RSA (not RSA-PSS, not elliptic).
static inline int hearth_is_rsa(const EVP_PKEY *key) { return EVP_PKEY_is_a(key, "RSA"); }

#endif
