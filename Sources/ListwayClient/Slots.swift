import Synchronization

/// Which request each slot waits for: a new one ends the one before, so that the old category's rows never come under the
/// new one.
final class Slots: Sendable {
  private struct Holder: Sendable {
    let number: UInt64
    let end: @Sendable () -> Void
  }

  private struct State {
    var count: UInt64 = 0
    var holders: [String: Holder] = [:]
  }

  private let state = Mutex(State())

  /// - Throws: ``ListwayError/superseded`` where another has taken the slot meanwhile, ``ListwayError/cancelled`` where the
  ///   caller's task was cancelled, else what `body` throws.
  func run(
    in slot: String, _ body: @escaping @Sendable () async throws(ListwayError) -> Envelope
  ) async throws(ListwayError) -> Envelope {
    let task = Task { () -> Result<Envelope, ListwayError> in
      do throws(ListwayError) {
        do throws(ListwayError) {
          return .success(try await body())
        } catch .superseded where !Task.isCancelled {
          // An older request of ours, which was ended here, came to the gateway after this one: it is not to win.
          return .success(try await body())
        }
      } catch {
        return .failure(error)
      }
    }
    let number = take(slot) { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    // What came after another had taken the slot is not to be shown, even if it came whole.
    guard release(slot, number) else { throw .superseded }
    return try result.get()
  }

  private func take(_ slot: String, end: @escaping @Sendable () -> Void) -> UInt64 {
    let (number, superseded) = state.withLock { state in
      state.count += 1
      return (state.count, state.holders.updateValue(Holder(number: state.count, end: end), forKey: slot))
    }
    superseded?.end()
    return number
  }

  /// - Returns: whether the slot was still held by it.
  private func release(_ slot: String, _ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.holders[slot]?.number == number else { return false }
      state.holders[slot] = nil
      return true
    }
  }
}
