#ifndef HEARTH_CTLS_SHIM_H
#define HEARTH_CTLS_SHIM_H

#include <limits.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Wrappers for macros and callbacks that Swift cannot call.

/// Settings of clients, or NULL: TLS 1.2 or newer, a verified certificate of the server, and no renegotiation. Free them
/// with SSL_CTX_free.
static inline SSL_CTX *hearth_tls_client_settings(void) {
  SSL_CTX *settings = SSL_CTX_new(TLS_client_method());
  if (settings == NULL) return NULL;
  if (SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION) != 1) {
    SSL_CTX_free(settings);
    return NULL;
  }
  SSL_CTX_set_options(settings, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Idle connections keep no buffers for records.
  SSL_CTX_set_mode(settings, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, NULL);
  return settings;
}

/// Answers every request for a passphrase with an empty one. Without it OpenSSL asks on the controlling terminal.
static inline int hearth_tls_no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer;
  (void)size;
  (void)writing;
  (void)context;
  return 0;
}

/// Adds the certificates of a PEM text to the accepted authorities. Returns their number, or -1 when one is malformed.
static inline int hearth_tls_add_authorities(SSL_CTX *settings, const void *pem, size_t length) {
  if (length > INT_MAX) return -1;
  if (length == 0) return 0;
  BIO *bio = BIO_new_mem_buf(pem, (int)length);
  if (bio == NULL) return -1;
  ERR_clear_error();
  int count = 0;
  X509 *certificate;
  while (count >= 0 && (certificate = PEM_read_bio_X509(bio, NULL, hearth_tls_no_passphrase, NULL)) != NULL) {
    count = X509_STORE_add_cert(SSL_CTX_get_cert_store(settings), certificate) == 1 ? count + 1 : -1;
    X509_free(certificate);
  }
  unsigned long error = ERR_peek_last_error();
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) count = -1;
  ERR_clear_error();
  BIO_free(bio);
  return count;
}

/// Demands a certificate for a host, by its subject alternative names alone, and sends the name of the host unless it is
/// an address. Returns 1, or 0 when the host is no possible name.
static inline int hearth_tls_set_host(SSL *connection, const char *host, int is_address) {
  X509_VERIFY_PARAM *demands = SSL_get0_param(connection);
  X509_VERIFY_PARAM_set_hostflags(
      demands, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  // An empty name would match every certificate.
  if (host[0] == '\0') return 0;
  if (is_address) return X509_VERIFY_PARAM_set1_ip_asc(demands, host) == 1;
  return X509_VERIFY_PARAM_set1_host(demands, host, 0) == 1 && SSL_set_tlsext_host_name(connection, host) == 1;
}

/// Gives a connection buffers in memory in place of a socket. Returns 1 on success. The connection frees them.
static inline int hearth_tls_set_buffers(SSL *connection, BIO **input, BIO **output) {
  *input = BIO_new(BIO_s_mem());
  *output = BIO_new(BIO_s_mem());
  if (*input == NULL || *output == NULL) {
    BIO_free(*input);
    BIO_free(*output);
    return 0;
  }
  SSL_set_bio(connection, *input, *output);
  return 1;
}

/// The number of bytes in a buffer.
static inline size_t hearth_tls_pending(BIO *buffer) { return BIO_ctrl_pending(buffer); }

/// The text of the oldest error of the thread, which is removed with all others, or NULL.
static inline const char *hearth_tls_take_reason(void) {
  unsigned long error = ERR_get_error();
  ERR_clear_error();
  return error == 0 ? NULL : ERR_reason_error_string(error);
}

/// Returns 1 when the server has shown a certificate: a cipher without one, which a machine's settings could allow, is
/// refused.
static inline int hearth_tls_has_certificate(const SSL *connection) {
  return SSL_get0_peer_certificate(connection) != NULL;
}

#endif
