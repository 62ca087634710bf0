#ifndef HEARTH_COPENSSL_SHIM_H
#define HEARTH_COPENSSL_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Wrappers for macros, callbacks and parameter lists that Swift cannot call.

/// Answers every request for a passphrase with an empty one. Without it OpenSSL asks on the controlling terminal.
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

/// The bytes that a memory BIO holds; borrowed from it.
static inline size_t hearth_bio_bytes(BIO *bio, char **bytes) {
  long length = BIO_get_mem_data(bio, bytes);
  return length > 0 ? (size_t)length : 0;
}

/// A new RSA key of that many bits, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_rsa_generate(size_t bits) { return EVP_RSA_gen(bits); }

/// Returns 1 when the key is plain RSA (not RSA-PSS, not elliptic).
static inline int hearth_is_rsa(const EVP_PKEY *key) { return EVP_PKEY_is_a(key, "RSA"); }

/// Computes scrypt (RFC 7914) of `cost` = N, `block` = r and `lanes` = p into `out`. The limit of memory is that of
/// these parameters and 1 MiB more: OpenSSL's own differs between its interfaces. Returns 1 on success.
static inline int hearth_scrypt(
    EVP_KDF *kdf, const void *password, size_t password_length, const void *salt, size_t salt_length, uint64_t cost,
    uint32_t block, uint32_t lanes, unsigned char *out, size_t out_length) {
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  if (context == NULL) return 0;
  uint64_t memory = 128 * (uint64_t)block * (cost + lanes) + (1 << 20);
  OSSL_PARAM parameters[] = {
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)password, password_length),
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_length),
    OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &cost),
    OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &block),
    OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &lanes),
    OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &memory),
    OSSL_PARAM_construct_end(),
  };
  int ok = EVP_KDF_derive(context, out, out_length, parameters);
  EVP_KDF_CTX_free(context);
  return ok == 1;
}

// Keys from their numbers, and numbers from keys.

/// Copies a number of a key ("n", "e") as big-endian bytes; returns the count, 0 when there is no number or no room.
static inline size_t hearth_key_number(const EVP_PKEY *key, const char *name, unsigned char *out, size_t capacity) {
  BIGNUM *number = NULL;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return 0;
  int length = BN_num_bytes(number);
  size_t written = 0;
  if (length > 0 && (size_t)length <= capacity) written = (size_t)BN_bn2bin(number, out);
  BN_free(number);
  return written;
}

/// The public key that the parameters describe, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_public_key_from_parameters(const char *type, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (parameters != NULL && context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  return key;
}

/// An RSA public key from modulus and exponent, big-endian, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_rsa_public(
    const unsigned char *modulus, size_t modulus_length, const unsigned char *exponent, size_t exponent_length) {
  if (modulus_length > INT_MAX || exponent_length > INT_MAX) return NULL;
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_length, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponent_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (n != NULL && e != NULL && builder != NULL && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1) {
    key = hearth_public_key_from_parameters("RSA", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  BN_free(n);
  BN_free(e);
  return key;
}

/// A P-256 public key from its uncompressed point (65 bytes, 4 first), or NULL when the point is not on the curve.
/// Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_p256_public(const unsigned char *point, size_t length) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (builder != NULL &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, length) == 1) {
    key = hearth_public_key_from_parameters("EC", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return key;
}

/// Returns 1 when the numbers of a public key are valid, or 0.
static inline int hearth_public_key_is_sound(EVP_PKEY *key) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  int sound = context != NULL && EVP_PKEY_public_check(context) == 1;
  EVP_PKEY_CTX_free(context);
  return sound;
}

/// Returns 1 when the key is on the curve P-256.
static inline int hearth_is_p256(const EVP_PKEY *key) {
  char name[32];
  size_t length = 0;
  if (!EVP_PKEY_is_a(key, "EC") || EVP_PKEY_get_group_name(key, name, sizeof name, &length) != 1) return 0;
  return OBJ_txt2nid(name) == NID_X9_62_prime256v1;
}

/// The public key of a PEM certificate, or NULL. The rest of the certificate is not checked. Free it with
/// EVP_PKEY_free.
static inline EVP_PKEY *hearth_public_key_from_certificate(const void *pem, size_t length) {
  if (length == 0 || length > INT_MAX) return NULL;
  BIO *bio = BIO_new_mem_buf(pem, (int)length);
  if (bio == NULL) return NULL;
  X509 *certificate = PEM_read_bio_X509(bio, NULL, hearth_no_passphrase, NULL);
  BIO_free(bio);
  if (certificate == NULL) return NULL;
  EVP_PKEY *key = X509_get_pubkey(certificate);
  X509_free(certificate);
  return key;
}

/// Writes a P-256 signature of 64 bytes (r, s) in the DER form that OpenSSL verifies; returns its length, at most 72,
/// or 0.
static inline size_t hearth_p256_signature_der(const unsigned char *signature, unsigned char *out, size_t capacity) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, 32, NULL);
  BIGNUM *s = BN_bin2bn(signature + 32, 32, NULL);
  size_t written = 0;
  if (pair == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(pair, r, s) != 1) {
    BN_free(r);
    BN_free(s);
  } else {
    int length = i2d_ECDSA_SIG(pair, NULL);
    if (length > 0 && (size_t)length <= capacity) {
      unsigned char *end = out;
      written = (size_t)i2d_ECDSA_SIG(pair, &end);
    }
  }
  ECDSA_SIG_free(pair);
  return written;
}

/// Takes a P-256 signature out of the DER form that OpenSSL makes, into 64 bytes (r, s). 1 on success.
static inline int hearth_p256_signature_raw(const unsigned char *der, size_t length, unsigned char *out) {
  if (length > INT_MAX) return 0;
  const unsigned char *end = der;
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &end, (long)length);
  if (pair == NULL) return 0;
  int ok = BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, 32) == 32 && BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + 32, 32) == 32;
  ECDSA_SIG_free(pair);
  return ok;
}

/// A self-signed certificate of a key as PEM in a memory BIO, or NULL. It is valid from `not_before` (seconds since
/// 1970) and has no end, because the key's own publication ends it. Free it with BIO_free; read it with
/// hearth_bio_bytes.
static inline BIO *hearth_self_signed_certificate(
    EVP_PKEY *key, const char *common_name, const unsigned char *serial, size_t serial_length, long long not_before) {
  if (serial_length > 20) return NULL;
  BIO *bio = NULL;
  X509 *certificate = X509_new();
  BIGNUM *number = BN_bin2bn(serial, (int)serial_length, NULL);
  X509_EXTENSION *usage = NULL;
  if (certificate != NULL && number != NULL) {
    X509_NAME *name = X509_get_subject_name(certificate);
    int ok = X509_set_version(certificate, X509_VERSION_3);
    ok = ok && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
    ok = ok && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)not_before) != NULL;
    ok = ok && ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z");
    ok = ok && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0);
    ok = ok && X509_set_issuer_name(certificate, name);
    ok = ok && X509_set_pubkey(certificate, key);
    usage = X509V3_EXT_conf_nid(NULL, NULL, NID_key_usage, "critical,digitalSignature");
    ok = ok && usage != NULL && X509_add_ext(certificate, usage, -1);
    ok = ok && X509_sign(certificate, key, EVP_sha256()) > 0;
    if (ok) bio = BIO_new(BIO_s_mem());
    if (bio != NULL && PEM_write_bio_X509(bio, certificate) != 1) {
      BIO_free(bio);
      bio = NULL;
    }
  }
  X509_EXTENSION_free(usage);
  BN_free(number);
  X509_free(certificate);
  return bio;
}

// Sealing.

/// Encrypts or decrypts `length` bytes by AES-256-GCM with a 12-byte nonce and a 16-byte tag, which is written when
/// encrypting and compared when not. Returns 1, or 0 when the tag does not fit or OpenSSL fails; `out` is worthless
/// then.
static inline int hearth_aes256_gcm(
    int encrypting, const unsigned char *key, const unsigned char *nonce, const unsigned char *bound,
    size_t bound_length, const unsigned char *in, size_t length, unsigned char *out, unsigned char *tag) {
  if (length > INT_MAX || bound_length > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  if (context == NULL) return 0;
  int count = 0;
  int ok = EVP_CipherInit_ex2(context, EVP_aes_256_gcm(), key, nonce, encrypting, NULL);
  ok = ok && (bound_length == 0 || EVP_CipherUpdate(context, NULL, &count, bound, (int)bound_length));
  ok = ok && (length == 0 || EVP_CipherUpdate(context, out, &count, in, (int)length));
  ok = ok && (encrypting || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, tag));
  unsigned char rest[16];
  ok = ok && EVP_CipherFinal_ex(context, rest, &count);
  ok = ok && (!encrypting || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, tag));
  EVP_CIPHER_CTX_free(context);
  return ok;
}

// Certificates.

/// A new key on P-256, or NULL. Free it with EVP_PKEY_free.
static inline EVP_PKEY *hearth_p256_generate(void) { return EVP_EC_gen("P-256"); }

/// The certificate in a PEM text, or NULL. Free it with X509_free.
static inline X509 *hearth_certificate_from_pem(const void *pem, size_t length) {
  if (length == 0 || length > INT_MAX) return NULL;
  BIO *bio = BIO_new_mem_buf(pem, (int)length);
  if (bio == NULL) return NULL;
  X509 *certificate = PEM_read_bio_X509(bio, NULL, hearth_no_passphrase, NULL);
  BIO_free(bio);
  return certificate;
}

/// Writes a certificate as PEM into a memory BIO, or returns NULL. Free it with BIO_free; read it with hearth_bio_bytes.
static inline BIO *hearth_pem_from_certificate(X509 *certificate) {
  BIO *bio = BIO_new(BIO_s_mem());
  if (bio != NULL && PEM_write_bio_X509(bio, certificate) != 1) {
    BIO_free(bio);
    return NULL;
  }
  return bio;
}

/// Adds an extension in the words of OpenSSL's configuration files ("critical,CA:TRUE"). 1 on success.
static inline int hearth_add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, kind, value);
  if (extension == NULL) return 0;
  int ok = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return ok == 1;
}

#endif
