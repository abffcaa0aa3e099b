import StoreDoubles
import Testing

@Suite("The store that tests play")
struct MemoryStoreTests {
  @Test("keeps the contract, shared or not", arguments: StoreContract.all, [false, true])
  func contract(_ contract: StoreContract, isShared: Bool) throws {
    try contract.run(
      try StoreBench { loop in MemoryStore(MemoryStore.Memory(), loop: loop, isShared: isShared) })
  }
}
