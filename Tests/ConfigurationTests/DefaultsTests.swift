import Configuration
import Paging
import Testing

@Suite("The annotated configuration")
struct DefaultsTests {
  private static let text = Repository.text(of: "config/listway.yaml")

  @Test("its values are the defaults")
  func values() throws {
    let found = try World.load(Self.text)
    let defaults = Configuration.defaults
    #expect(found.listen == defaults.listen)
    #expect(found.admin == defaults.admin)
    #expect(found.loops == defaults.loops)
    #expect(found.log == defaults.log)
    #expect(found.cursor == defaults.cursor)
    #expect(found.shutdown == defaults.shutdown)
    #expect(found.debug == defaults.debug)
    #expect(found.explorer == defaults.explorer)
    #expect(found.limits == defaults.limits)
    #expect(
      found.upstreams == [
        .defaults(
          name: "example", url: BaseURL(scheme: .https, host: "api.example.com", port: 443, path: "/v1"))
      ])
  }

  @Test("a file without anything optional means the same")
  func minimal() throws {
    let annotated = try World.load(Self.text)
    let minimal = try World.load(
      """
      upstreams: {example: {url: "https://api.example.com/v1"}}
      lists:
        items: {upstream: example, paging: {style: page, page: {query: page}}, items: {at: /items, id: /id}}
      """)
    #expect(minimal.upstreams == annotated.upstreams)
    let (left, right) = (minimal.lists[0], annotated.lists[0])
    #expect(left.request == right.request)
    #expect(left.plan == right.plan)
    #expect(left.prefetch == right.prefetch)
    #expect((left.limit, left.maxLimit) == (right.limit, right.maxLimit))
    #expect(left.plan.limits == Paging.Limits.defaults)
    #expect(left.plan.says == Says.nothing)
  }

  @Test("it names every key of the decoder's tables")
  func keys() {
    func check(_ keys: [Schema.Key]) {
      for key in keys {
        #expect(Self.text.contains("\(key.name):"), "\(key.name)")
        check(key.shape)
      }
    }
    func check(_ shape: Schema) {
      switch shape {
      case .mapping(let keys): check(keys)
      case .named(_, let shape), .sequence(let shape, _): check(shape)
      case .open(let keys, _, let shape):
        check(keys)
        check(shape)
      case .either(let shapes): for shape in shapes { check(shape) }
      case .variants(let key, _, let variants):
        #expect(Self.text.contains("\(key):"))
        for variant in variants {
          #expect(Self.text.contains(variant.word), "\(variant.word)")
          check(variant.keys)
        }
      default: return
      }
    }
    check(Configuration.keys)
  }
}
