import Configuration
import Testing

@Suite("Configuration files")
struct VectorTests {
  private static let brokenFiles = Repository.files(in: "Tests/Vectors/Configuration/fail", suffix: ".yaml")
  private static let goodFiles = Repository.files(in: "Tests/Vectors/Configuration/pass", suffix: ".yaml")

  /// `LISTWAY_RECORD=1` writes the expected errors anew, to be read before they are committed.
  @Test("a broken file gives exactly the errors beside it", arguments: brokenFiles)
  func broken(_ path: String) {
    let name = String(path.split(separator: "/").last ?? "")
    let found = World.faults(Repository.bytes(of: path), name: name)
    let expectation = String(path.dropLast(4)) + "expected"
    if Repository.isRecording { Repository.write(found + "\n", to: expectation) }
    #expect(found + "\n" == Repository.text(of: expectation))
    #expect(!found.isEmpty)
  }

  @Test("there are at least thirty broken files")
  func count() { #expect(Self.brokenFiles.count >= 30) }

  @Test("a good file gives no error", arguments: goodFiles)
  func good(_ path: String) {
    #expect(World.faults(Repository.bytes(of: path), name: path) == "")
  }

  @Test("no error shows what came from the environment or from a file", arguments: brokenFiles)
  func secrets(_ path: String) {
    let found = World.faults(Repository.bytes(of: path), name: path)
    for secret in ["s3cret", "hidden", "00112233"] { #expect(!found.contains(secret)) }
  }
}
