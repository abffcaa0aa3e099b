import Glibc

// Layout: a block is preceded by 16 bytes. While it is out they hold one reference to its pool; while it is kept, the
// address of the block that was kept before it.

/// Memory for contents that are copied, kept from one answer to the next: malloc(3) is slow for pieces of this size, since
/// it tidies up its small ones then, and the block used last is the one that the cache still has.
///
/// Confined to one thread.
@safe
final class BlockPool {
  static let blockByteCount = 16_384
  private static let prefix = 16
  /// Blocks kept, at most: what is used at once beyond that comes and goes.
  private static let most = 64

  private var first: UnsafeMutableRawPointer?
  private var count = 0

  deinit {
    while let block = unsafe keptBlock() { unsafe free(block - Self.prefix) }
  }

  /// - Returns: ``blockByteCount`` bytes, to be given back by ``giveBack``; nil when memory is short.
  func take() -> UnsafeMutableRawPointer? {
    guard let block = unsafe keptBlock() ?? makeBlock() else { return nil }
    let owner = unsafe Unmanaged.passRetained(self).toOpaque()
    unsafe block.storeBytes(of: owner, toByteOffset: -Self.prefix, as: UnsafeMutableRawPointer.self)
    return unsafe block
  }

  private func keptBlock() -> UnsafeMutableRawPointer? {
    guard let block = unsafe first else { return nil }
    unsafe first = block.load(fromByteOffset: -Self.prefix, as: UnsafeMutableRawPointer?.self)
    count -= 1
    return unsafe block
  }

  private func makeBlock() -> UnsafeMutableRawPointer? {
    unsafe malloc(Self.prefix + Self.blockByteCount).map { unsafe $0 + Self.prefix }
  }

  private func keep(_ block: UnsafeMutableRawPointer) {
    if count >= Self.most { return unsafe free(block - Self.prefix) }
    unsafe block.storeBytes(of: first, toByteOffset: -Self.prefix, as: UnsafeMutableRawPointer?.self)
    unsafe first = block
    count += 1
  }

  /// Takes a block back; the argument is the block.
  static let giveBack: @convention(c) (UnsafeMutableRawPointer?) -> Void = { block in
    guard let block = unsafe block else { return }
    let owner = unsafe block.load(fromByteOffset: -prefix, as: UnsafeMutableRawPointer.self)
    unsafe Unmanaged<BlockPool>.fromOpaque(owner).takeRetainedValue().keep(block)
  }
}
