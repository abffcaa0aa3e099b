package import HTTPSemantics

/// The request that fetches a page of a list, compiled from the configuration: what is the same for every page.
///
/// What paging adds (page number, size, token) is placed by the caller while rendering. A field whose template names an
/// optional parameter that was not given is left out.
package struct RequestTemplate: Sendable, Equatable {
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
  }

  package enum Content: Sendable, Equatable {
    case none
    /// `application/x-www-form-urlencoded`
    case form([Field])
    /// `application/json`
    case json(JSONTemplate)
  }

  /// One name and value of a query or a form. A name may occur more than once.
  package struct Field: Sendable, Equatable {
    /// Encoded for its place.
    package let name: [UInt8]
    package let value: Template

    package init(name: [UInt8], value: Template) {
      self.name = name
      self.value = value
    }
  }

  package struct HeaderField: Sendable, Equatable {
    package let name: FieldName
    package let value: Template

    package init(name: FieldName, value: Template) {
      self.name = name
      self.value = value
    }
  }

  package let method: Method
  /// The upstream's base path included.
  package let path: PathTemplate
  package let query: [Field]
  package let content: Content
  /// The upstream's headers included, those that the list replaces left out.
  package let headers: [HeaderField]

  package init(
    method: Method, path: PathTemplate, query: [Field], content: Content, headers: [HeaderField]
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.content = content
    self.headers = headers
  }
}
