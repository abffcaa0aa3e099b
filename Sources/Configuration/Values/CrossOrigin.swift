extension Configuration {
  /// Which pages of other origins may read, in a browser.
  package struct CrossOrigin: Sendable, Equatable {
    /// `https://app.example.com`, in small letters, without a path; or `*` for all.
    package let origins: [String]
    /// How long a browser may go by the answer to its preflight request.
    package let maxAge: Duration

    package init(origins: [String], maxAge: Duration) {
      self.origins = origins
      self.maxAge = maxAge
    }

    package static let defaults = CrossOrigin(origins: [], maxAge: .seconds(3_600))
  }
}
