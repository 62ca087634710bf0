#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

// libcurl as it is, and the few variadic functions that Swift cannot call, one for each type of argument.

CURLcode ccurl_set_long(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t value);
/// Sets a text, which libcurl copies, except that of CURLOPT_POSTFIELDS.
CURLcode ccurl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value);
/// Sets callback data, buffers and lists. libcurl keeps the pointer.
CURLcode ccurl_set_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value);

/// The callback of CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_sink)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable data);
CURLcode ccurl_set_sink(CURL *_Nonnull handle, CURLoption option, ccurl_sink _Nonnull sink);
/// The callback of CURLOPT_READFUNCTION.
typedef size_t (*ccurl_source)(char *_Nullable buffer, size_t size, size_t count, void *_Nullable data);
CURLcode ccurl_set_source(CURL *_Nonnull handle, ccurl_source _Nonnull source);
/// The callback of CURLOPT_XFERINFOFUNCTION: a result other than 0 ends the transfer.
typedef int (*ccurl_progress)(
    void *_Nullable data, curl_off_t download_total, curl_off_t downloaded, curl_off_t upload_total,
    curl_off_t uploaded);
CURLcode ccurl_set_progress(CURL *_Nonnull handle, ccurl_progress _Nonnull progress);

/// The callback for each address that a name resolved to, before anything is sent there.
///
/// `family` is 4 or 6 and `address` has 4 or 16 bytes in network order; family 0 is any other kind of address.
typedef bool (*ccurl_admits)(void *_Nullable data, int family, const unsigned char *_Nonnull address);

/// The callback that admits addresses, with its data. It outlives the transfer.
struct ccurl_guard {
  ccurl_admits _Nonnull admits;
  void *_Nullable data;
};

/// Restricts every socket of the handle to addresses that the guard admits.
CURLcode ccurl_set_guard(CURL *_Nonnull handle, struct ccurl_guard *_Nonnull guard);

/// True when the last transfer had a connection on which its request was sent, in part at least.
bool ccurl_was_connected(CURL *_Nonnull handle);

/// The status code of the last answer, HTTP's or SMTP's; 0 when there was none.
long ccurl_response_code(CURL *_Nonnull handle);

#endif
