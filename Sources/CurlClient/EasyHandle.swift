import CCurl
import Gateway
import Glibc
import HTTPSemantics
import JSON

/// The owner of a `CURL`: it carries one transfer after another of one origin.
///
/// What never changes for the origin is set once. What differs between requests is in `EasyHandle+Request.swift`.
@safe
final class EasyHandle {
  let handle: UnsafeMutableRawPointer
  /// The transfer that it carries; nil while it waits for the next.
  var transfer: CurlTransfer?
  /// Where it stands among those under way.
  var position = 0

  /// Takes the response. In memory of its own, so that the callbacks reach it without this object, whose reference count
  /// every line would touch.
  let reader: UnsafeMutablePointer<ResponseReader>

  // What libcurl has been told, and what it points at.
  var headers = HeaderList()
  var headerHead: UnsafeMutablePointer<curl_slist>?
  var content: [UInt8] = []
  var shape: Shape = .get
  var customMethod: String?
  /// The URL that libcurl has, without its path.
  var root: [UInt8] = []
  var parsedRoot: OpaquePointer?
  var isSecure: Bool?
  var mayMultiplex = false
  /// Whether its connections carry one request each; and whether the next request is to have a new one.
  var isUsedOnce = false
  var connectsAnew = false
  private let errorText: UnsafeMutablePointer<CChar>
  private let sockets: Sockets
  private let share: SessionShare

  /// How libcurl is told of a method: without content, without content in either direction, or with content.
  enum Shape { case get, head, content }

  init(origin: TransportOrigin, sockets: Sockets, share: SessionShare) throws(CurlFailure) {
    guard let handle = unsafe curl_easy_init() else { throw CurlFailure("curl_easy_init: out of memory") }
    unsafe self.handle = handle
    self.sockets = sockets
    self.share = share
    unsafe reader = .allocate(capacity: 1)
    unsafe reader.initialize(to: ResponseReader())
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setCallbacks()
    if let reason = setOptions(of: origin) { throw CurlFailure(call: "curl_easy_setopt", reason: reason) }
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_url_cleanup(parsedRoot)
    unsafe errorText.deallocate()
    unsafe reader.deinitialize(count: 1)
    unsafe reader.deallocate()
  }

  private func setCallbacks() {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe set(CURLOPT_PRIVATE, me)
    unsafe set(CURLOPT_HEADERDATA, reader)
    unsafe set(CURLOPT_WRITEDATA, reader)
    unsafe curl_easy_setopt_write(handle, CURLOPT_HEADERFUNCTION, Self.takeLine)
    unsafe curl_easy_setopt_write(handle, CURLOPT_WRITEFUNCTION, Self.takeContent)
    let sockets = unsafe Unmanaged.passUnretained(self.sockets).toOpaque()
    unsafe set(CURLOPT_OPENSOCKETDATA, sockets)
    unsafe set(CURLOPT_CLOSESOCKETDATA, sockets)
    unsafe curl_easy_setopt_opensocket(handle, CURLOPT_OPENSOCKETFUNCTION, Sockets.openCallback)
    unsafe curl_easy_setopt_closesocket(handle, CURLOPT_CLOSESOCKETFUNCTION, Sockets.closeCallback)
    unsafe set(CURLOPT_ERRORBUFFER, errorText)
    unsafe set(CURLOPT_SHARE, share.handle)
  }

  private func setOptions(of origin: TransportOrigin) -> CURLcode? {
    let addressAge = max(0, origin.addressAge.components.seconds)
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1),
      // Not to wait, on the loop's thread, for a look-up that nobody wants any more.
      (CURLOPT_QUICK_EXIT, 1),
      (CURLOPT_PATH_AS_IS, 1),
      (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_CONNECTTIMEOUT_MS, max(1, origin.connectTimeout.wholeMilliseconds)),
      (CURLOPT_TCP_NODELAY, 1),
      (CURLOPT_TCP_KEEPALIVE, 1),
      (CURLOPT_DNS_CACHE_TIMEOUT, Int(addressAge)),
      // A connection holds on to an address, too.
      (CURLOPT_MAXLIFETIME_CONN, max(1, Int(addressAge))),
      (CURLOPT_SSL_VERIFYPEER, 1),
      (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      (CURLOPT_BUFFERSIZE, Self.bufferSize),
      (CURLOPT_CONNECT_ONLY, origin.use == .connects ? 1 : 0),
    ]
    for (option, value) in numbers {
      let code = unsafe curl_easy_setopt_long(handle, option, value)
      if code != CURLE_OK { return code }
    }
    var texts: [(CURLoption, String)] = [
      (CURLOPT_PROTOCOLS_STR, "http,https"),
      // All that it can undo.
      (CURLOPT_ACCEPT_ENCODING, ""),
      // No proxy, whatever the environment says.
      (CURLOPT_PROXY, ""),
      (CURLOPT_NOPROXY, "*"),
    ]
    if let file = origin.trustedCertificates {
      texts.append((CURLOPT_CAINFO, file))
      unsafe set(CURLOPT_CAPATH, nil)
    }
    if let certificate = origin.clientCertificate, let key = origin.clientKey {
      texts += [(CURLOPT_SSLCERT, certificate), (CURLOPT_SSLKEY, key)]
    }
    for (option, value) in texts {
      let code = unsafe curl_easy_setopt_pointer(handle, option, value)
      if code != CURLE_OK { return code }
    }
    return nil
  }

  /// What is received at once, at most.
  /// malloc(3) tidies up all of its small pieces whenever 64 KiB or more are freed, which libcurl does once a request.
  private static let bufferSize = 32_768

  func set(_ option: CURLoption, _ value: Int) {
    unsafe curl_easy_setopt_long(handle, option, value)
  }

  func set(_ option: CURLoption, _ value: UnsafeRawPointer?) {
    unsafe curl_easy_setopt_pointer(handle, option, value)
  }

  // MARK: What libcurl says of a transfer

  /// Why it failed, in libcurl's words; empty when it has none.
  var errorMessage: String { unsafe String(cString: errorText) }

  func number(_ info: CURLINFO) -> Int {
    var value = 0
    unsafe curl_easy_getinfo_long(handle, info, &value)
    return value
  }

  /// Whether it got as far as `info`, one of the times of curl_easy_getinfo(3).
  func hasReached(_ info: CURLINFO) -> Bool {
    var microseconds: curl_off_t = 0
    unsafe curl_easy_getinfo_offset(handle, info, &microseconds)
    return microseconds > 0
  }

  var spokeHTTP2: Bool { number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0 }

  /// The descriptor of the connection that it used last; -1 when that is closed.
  var descriptor: Int32 {
    var value: curl_socket_t = -1
    unsafe curl_easy_getinfo_socket(handle, CURLINFO_ACTIVESOCKET, &value)
    return value
  }

  func text(_ info: CURLINFO) -> String? {
    var value: UnsafeMutablePointer<CChar>?
    unsafe curl_easy_getinfo_string(handle, info, &value)
    return unsafe value.map { unsafe String(cString: $0) }
  }

  /// The object that owns a `CURL`.
  static func owner(of handle: UnsafeMutableRawPointer?) -> EasyHandle? {
    var context: UnsafeMutableRawPointer?
    unsafe curl_easy_getinfo_private(handle, &context)
    return unsafe context.map { unsafe Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Callbacks; the context is the `ResponseReader`

  private typealias WriteCallback =
    @convention(c) (
      UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?
    ) -> Int

  /// CURLOPT_HEADERFUNCTION(3): one whole line a call. What it returns short of `count` ends the transfer.
  private static let takeLine: WriteCallback = { start, _, count, context in
    guard let context = unsafe context else { return 0 }
    let reader = unsafe context.assumingMemoryBound(to: ResponseReader.self)
    let line = unsafe UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
    return unsafe reader.pointee.takeLine(line.span) ? count : -1
  }

  /// CURLOPT_WRITEFUNCTION(3).
  private static let takeContent: WriteCallback = { start, _, count, context in
    guard let context = unsafe context else { return 0 }
    let reader = unsafe context.assumingMemoryBound(to: ResponseReader.self)
    return unsafe reader.pointee.takeContent(UnsafeRawBufferPointer(start: start, count: count)) ? count : -1
  }
}

extension Duration {
  /// Rounded up.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    return Int(clamping: seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
