#include "CCurl.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

CURLcode ccurl_set_sink(CURL *handle, CURLoption option, ccurl_sink sink) {
  return curl_easy_setopt(handle, option, sink);
}

CURLcode ccurl_set_source(CURL *handle, ccurl_source source) {
  return curl_easy_setopt(handle, CURLOPT_READFUNCTION, source);
}

CURLcode ccurl_set_progress(CURL *handle, ccurl_progress progress) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, progress) : code;
}

static curl_socket_t open_admitted(void *data, curlsocktype purpose, struct curl_sockaddr *address) {
  struct ccurl_guard *guard = data;
  unsigned char bytes[16] = {0};
  int family = 0;
  if (purpose != CURLSOCKTYPE_IPCXN) return CURL_SOCKET_BAD;
  if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
    struct sockaddr_in in;
    memcpy(&in, &address->addr, sizeof in);
    memcpy(bytes, &in.sin_addr, 4);
    family = 4;
  } else if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
    // libcurl keeps the whole IPv6 address behind the field that is declared for IPv4.
    struct sockaddr_in6 in;
    memcpy(&in, &address->addr, sizeof in);
    memcpy(bytes, &in.sin6_addr, 16);
    family = 6;
  }
  if (!guard->admits(guard->data, family, bytes)) return CURL_SOCKET_BAD;
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

CURLcode ccurl_set_guard(CURL *handle, struct ccurl_guard *guard) {
  CURLcode code = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, guard);
  return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_admitted) : code;
}

bool ccurl_was_connected(CURL *handle) {
  curl_off_t microseconds = 0;
  return curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &microseconds) == CURLE_OK && microseconds > 0;
}

long ccurl_response_code(CURL *handle) {
  long code = 0;
  return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK ? code : 0;
}
