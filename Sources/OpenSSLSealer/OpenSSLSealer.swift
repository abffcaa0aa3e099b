// Layout of a cursor, before base64url:
//
//   offset  0        1..2     3..14    15..18         19..           last 16
//           version  key id   nonce    issue time     payload        tag
//           1 byte   2 bytes  12 bytes 4 bytes        any            AES-256-GCM
//                                      └── encrypted, together ──┘
//
// Authenticated with it, and not part of it: version and key id, and the binding. The issue time is Unix seconds,
// big-endian, unsigned (until 2106). A payload of 60 bytes makes a cursor of 127 letters.
//
// Nonces: 8 random bytes drawn when the sealer is made, then a counter of 4 bytes; fresh random bytes when the counter
// runs over. Under one key two nonces are equal only if two sealers drew the same 8 bytes. Draws are few (loops times
// restarts times replicas, and one more each four thousand million cursors): ten thousand of them collide with odds of
// 1 to 10^11, whatever the number of cursors. Wholly random nonces would be at 1 to 10^10 after four thousand million
// cursors, a few days of a busy gateway, and their odds fall with the square of the number.

package import Gateway
internal import HTTPSemantics

/// Seals cursors with AES-256-GCM. One a loop: it keeps its cipher contexts and buffers, and has no lock.
package final class OpenSSLSealer: CursorSealer {
  /// The longest text that is looked at; beyond it a cursor is invalid before any work is done.
  package static let maximumLetterCount = 12_288

  private static let version: UInt8 = 1
  private static let headerByteCount = 3
  private static let timeByteCount = 4
  private static let payloadOffset = headerByteCount + AEADContext.nonceByteCount + timeByteCount
  private static let overhead = payloadOffset + AEADContext.tagByteCount

  private struct Opener {
    let id: (UInt8, UInt8)
    let context: AEADContext
  }

  private let sealing: AEADContext
  private let sealingID: (UInt8, UInt8)
  private let openers: [Opener]
  private let random: BufferedRandom
  private var noncePrefix: UInt64
  private var nonceCounter: UInt32 = 0
  /// Reused from call to call. Each call takes it out and puts it back, which is cheaper than reaching into it.
  private var sealedBuffer: [UInt8] = []
  private var scratchBuffer: [UInt8] = []

  /// - Throws: what libcrypto refuses.
  package init(keys: SealingKeys) throws(CryptoFailure) {
    let first = keys.keys[0]
    sealingID = first.id
    sealing = try AEADContext(key: first.bytes, direction: .seal)
    var openers: [Opener] = []
    for key in keys.keys {
      openers.append(Opener(id: key.id, context: try AEADContext(key: key.bytes, direction: .open)))
    }
    self.openers = openers
    random = try BufferedRandom()
    noncePrefix = random.next()
  }

  /// A payload beyond about 9,000 bytes makes a cursor that is too long to be opened: bound it before.
  package func seal(_ payload: [UInt8], binding: [UInt8], now: Int64) -> String {
    var sealed = OpenSSLSealer.taken(&sealedBuffer)
    var scratch = OpenSSLSealer.taken(&scratchBuffer)
    defer {
      sealedBuffer = sealed
      scratchBuffer = scratch
    }
    sealed.append(contentsOf: [OpenSSLSealer.version, sealingID.0, sealingID.1])
    appendNonce(to: &sealed)
    unsafe withUnsafeBytes(of: UInt32(clamping: now).bigEndian) { unsafe scratch.append(contentsOf: $0) }
    let header = OpenSSLSealer.headerByteCount
    sealing.begin(nonce: sealed.span.extracting(header..<header + AEADContext.nonceByteCount))
    sealing.authenticate(sealed.span.extracting(0..<header))
    sealing.authenticate(binding.span)
    sealing.update(scratch.span, into: &sealed)
    sealing.update(payload.span, into: &sealed)
    sealing.finish(appendingTagTo: &sealed)

    scratch.removeAll(keepingCapacity: true)
    Base64URL.encode(sealed.span, into: &scratch)
    return String(decoding: scratch, as: UTF8.self)
  }

  private static func taken(_ buffer: inout [UInt8]) -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &buffer)
    taken.removeAll(keepingCapacity: true)
    return taken
  }

  package func open(
    _ cursor: String, binding: [UInt8], now: Int64, lifetime: Int64
  ) throws(CursorFailure) -> [UInt8] {
    guard cursor.utf8.count <= OpenSSLSealer.maximumLetterCount else { throw .invalid }
    var sealed = OpenSSLSealer.taken(&sealedBuffer)
    var scratch = OpenSSLSealer.taken(&scratchBuffer)
    defer {
      sealedBuffer = sealed
      scratchBuffer = scratch
    }
    guard Base64URL.decode(cursor.utf8Span.span, into: &sealed),
      sealed.count >= OpenSSLSealer.overhead, sealed[0] == OpenSSLSealer.version
    else { throw .invalid }
    let id = (sealed[1], sealed[2])
    // Two keys may share an id: each that fits is tried.
    for opener in openers where opener.id == id {
      guard let payload = OpenSSLSealer.decrypt(sealed, with: opener.context, binding, issuedInto: &scratch)
      else { continue }
      let issued = scratch.reduce(Int64(0)) { $0 << 8 | Int64($1) }
      // Another replica's clock may be ahead: a cursor from the future is new, not forged.
      guard now - issued < lifetime else { throw .expired }
      return payload
    }
    throw .invalid
  }

  /// Decrypts the issue time into `issued`, the payload into the result; nil when the cursor is not authentic.
  private static func decrypt(
    _ sealed: [UInt8], with context: AEADContext, _ binding: [UInt8], issuedInto issued: inout [UInt8]
  ) -> [UInt8]? {
    let nonce = headerByteCount..<headerByteCount + AEADContext.nonceByteCount
    let end = sealed.count - AEADContext.tagByteCount
    context.begin(nonce: sealed.span.extracting(nonce))
    context.authenticate(sealed.span.extracting(0..<headerByteCount))
    context.authenticate(binding.span)
    issued.removeAll(keepingCapacity: true)
    context.update(sealed.span.extracting(nonce.upperBound..<payloadOffset), into: &issued)
    var payload: [UInt8] = []
    payload.reserveCapacity(end - payloadOffset)
    context.update(sealed.span.extracting(payloadOffset..<end), into: &payload)
    return context.verify(tag: sealed.span.extracting(end..<sealed.count)) ? payload : nil
  }

  private func appendNonce(to sealed: inout [UInt8]) {
    if nonceCounter == .max {
      noncePrefix = random.next()
      nonceCounter = 0
    }
    nonceCounter += 1
    unsafe withUnsafeBytes(of: noncePrefix) { unsafe sealed.append(contentsOf: $0) }
    unsafe withUnsafeBytes(of: nonceCounter) { unsafe sealed.append(contentsOf: $0) }
  }
}
