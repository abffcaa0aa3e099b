internal import Glibc
internal import Synchronization

/// What one thread has counted. Only that thread writes; any thread may read at any time.
///
/// So a count is a plain load and a plain store: no lock, no contended cache line, nothing allocated.
/// - Note: `@unchecked Sendable` is sound since every slot is an atomic, and the pointer never changes.
@safe
package final class FigureShard: @unchecked Sendable {
  private let slots: UnsafeMutablePointer<Atomic<UInt64>>
  private let slotCount: Int

  /// The slots are mapped, not touched: what no series uses takes no memory.
  init(slotCount: Int) {
    self.slotCount = slotCount
    let byteCount = slotCount * MemoryLayout<Atomic<UInt64>>.stride
    let mapping = unsafe mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
      preconditionFailure("no address space for figures")
    }
    unsafe slots = mapping.bindMemory(to: Atomic<UInt64>.self, capacity: slotCount)
  }

  deinit {
    unsafe munmap(slots, slotCount * MemoryLayout<Atomic<UInt64>>.stride)
  }

  package func add(_ count: UInt64, to counter: Counter) { add(count, at: counter.slot) }

  package func set(_ gauge: Gauge, to value: Int) {
    precondition(gauge.slot < slotCount)
    unsafe slots[gauge.slot].store(UInt64(bitPattern: Int64(value)), ordering: .relaxed)
  }

  package func add(_ change: Int, to gauge: Gauge) { add(UInt64(bitPattern: Int64(change)), at: gauge.slot) }

  /// Takes up one observation, in the unit of the histogram's buckets.
  package func observe(_ value: UInt64, in histogram: Histogram) {
    var bucket = 0
    while bucket < histogram.buckets.bounds.count, value > histogram.buckets.bounds[bucket] { bucket += 1 }
    add(1, at: histogram.slot + bucket)
    add(value, at: histogram.slot + histogram.buckets.bounds.count + 1)
  }

  /// Takes up a duration in a histogram of nanoseconds. A negative one counts as zero.
  package func observe(_ duration: Duration, in histogram: Histogram) {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    observe(UInt64(max(0, nanoseconds)), in: histogram)
  }

  func read(_ slot: Int) -> UInt64 {
    precondition(slot < slotCount)
    return unsafe slots[slot].load(ordering: .relaxed)
  }

  private func add(_ count: UInt64, at slot: Int) {
    precondition(slot < slotCount)
    let value = unsafe slots[slot].load(ordering: .relaxed)
    unsafe slots[slot].store(value &+ count, ordering: .relaxed)
  }
}
