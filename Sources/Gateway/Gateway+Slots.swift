import Access
import EventLoop
import HTTPSemantics
import Resilience

extension Gateway {
  /// The latest wins: a client that asks anew in a slot has no use for the answer that it waited for there.
  func takeSlot(_ request: Request) throws(GatewayError) {
    guard let name = request.exchange.field(.listwaySlot) else { return }
    guard SlotTable.isName(name) else {
      let error = GatewayError(
        .invalidRequest,
        .invalidParameter(
          "Listway-Slot", found: name, expected: "1 to \(SlotTable.longestName) printable ASCII characters"),
        detail: "a slot's name")
      error.parameter = "Listway-Slot"
      throw error
    }
    let client = client(of: request)
    // Sound: both are touched on their loop's thread only.
    nonisolated(unsafe) let superseded = (gateway: self, request: request)
    request.slot = process.slots.take(Slots.Key(client: client, name: name), at: loop.now) { [loop] in
      loop.execute { unsafe superseded.gateway.supersede(superseded.request) }
    }
  }

  /// A slot is free when its request has been answered; but what is fetched ahead for that request ends when a newer one
  /// turns elsewhere.
  func release(_ slot: SlotTable.Hold, of request: Request) {
    guard let forerun = request.forerun else { return process.slots.release(slot) }
    forerun.whenDone = { [process] in process.slots.release(slot) }
    // Sound: it is touched on its loop's thread only.
    nonisolated(unsafe) let confined = forerun
    process.slots.keep(slot) { [loop] in
      // After the newer one has begun: where it goes on in the same list, it waits for what is fetched ahead.
      loop.execute { unsafe confined.dismiss() }
    }
  }

  /// By who it is; else by its credential where that is none of ours, for many clients may come from one address; else by
  /// its address.
  private func client(of request: Request) -> String {
    if let name = request.principal.name { return name }
    let foreign = access == nil ? request.exchange.field(.authorization) : nil
    return foreign ?? network(of: request)
  }

  private func supersede(_ request: Request) {
    if request.isFinished || request.work.isAbandoned { return }
    fail(request, GatewayError(.superseded, .superseded, detail: "a newer request took the slot"))
    // What it asked for still lands in the cache.
    request.work.supersede()
  }
}
