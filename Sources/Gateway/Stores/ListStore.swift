import Caching
import Configuration
import Resilience

/// One list's part in the store, as one loop has it.
final class ListStore {
  let pages: any PageStore
  let keys: StoreKeys

  init(pages: any PageStore, keys: StoreKeys) {
    self.pages = pages
    self.keys = keys
  }

  func key(of asked: AskedPage, _ rendered: RenderedRequest) -> StoreKey {
    var arguments: [UInt8] = []
    asked.reader.arguments.appendKey(to: &arguments)
    return keys.key(of: asked.key, arguments: arguments, request: rendered)
  }

  func purge(_ extent: StoreExtent) { pages.purge(extent) { _ in } }
}

extension Gateway {
  /// Has pages stored, and stored pages found. Before the loop turns.
  ///
  /// - Parameter digest: for the keys.
  package func use(_ pages: any PageStore, digest: @escaping StoreKeys.Digest) {
    for list in plain {
      let upstream = list.source.upstream
      list.source.store = ListStore(
        pages: pages,
        keys: StoreKeys(
          list.configuration, of: upstream.configuration, account: upstream.account, digest: digest))
    }
  }
}
