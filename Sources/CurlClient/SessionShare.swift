import CCurl

/// The owner of a `CURLSH`: TLS sessions, so that a new connection resumes what any earlier one negotiated.
///
/// It needs no lock, since everything that uses it is on one loop. It lives until the last easy handle that uses it is
/// gone: curl_share_cleanup(3) refuses before.
@safe
final class SessionShare {
  let handle: UnsafeMutableRawPointer

  init() throws(CurlFailure) {
    guard let handle = unsafe curl_share_init() else { throw CurlFailure("curl_share_init: out of memory") }
    unsafe self.handle = handle
    unsafe curl_share_setopt_long(handle, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_SSL_SESSION.rawValue))
  }

  deinit { unsafe curl_share_cleanup(handle) }
}
