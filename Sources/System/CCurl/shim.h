// libcurl, and what Swift does not see of it.
#pragma once
#include <curl/curl.h>

// Variadic functions: one inline function for each type of value, named for the function and the type.

static inline CURLcode curl_easy_setopt_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_setopt_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_setopt_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_setopt_write(CURL *easy, CURLoption option, curl_write_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_setopt_opensocket(CURL *easy, CURLoption option, curl_opensocket_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_setopt_closesocket(CURL *easy, CURLoption option, curl_closesocket_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode curl_easy_getinfo_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode curl_easy_getinfo_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode curl_easy_getinfo_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode curl_easy_getinfo_string(CURL *easy, CURLINFO info, char **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode curl_easy_getinfo_private(CURL *easy, void **value) {
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}
static inline CURLMcode curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode curl_multi_setopt_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode curl_multi_setopt_socket(CURLM *multi, CURLMoption option, curl_socket_callback value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode curl_multi_setopt_timer(CURLM *multi, CURLMoption option, curl_multi_timer_callback value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLSHcode curl_share_setopt_long(CURLSH *share, CURLSHoption option, long value) {
  return curl_share_setopt(share, option, value);
}

// Macros with a cast or a compound value.

static inline CURLcode curl_global_init_default(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
static inline const curl_version_info_data *curl_version_info_now(void) {
  return curl_version_info(CURLVERSION_NOW);
}
