// A body such as
//
//   {"kind": "open", "by": "{user}", "page": {"size": 20}}      with paging's number placed at /page/number
//
// is compiled to steps that are run in order:
//
//   literal  {"kind":"open"
//   optional "by": "…"          left out, with its comma, where `user` is not given
//   separator literal "page":{"size":20
//   place    "number": …        left out where paging says nothing
//   literal  }}
//
// A separator is a comma unless a bracket has just been opened: nothing has to be known of what was left out before it.

package import JSON

/// A JSON body with places for parameters and for what paging adds, compiled.
package struct JSONTemplate: Sendable, Equatable {
  indirect enum Step: Sendable, Equatable {
    /// Finished JSON text.
    case literal([UInt8])
    /// A comma, unless the text ends with an opening bracket.
    case separator
    /// A string, its quotation marks included.
    case string(Template)
    /// A value of a parameter whose type JSON writes without quotation marks.
    case bare(parameter: Int)
    /// Steps that are left out where one of these parameters is not given.
    case optional(parameters: [Int], [Step])
    /// What paging places at the place of this index; where it places nothing, the second steps instead.
    case place(Int, before: [UInt8], otherwise: [Step])
  }

  let steps: [Step]
  /// Where paging may place something.
  package let places: [Pointer]

  init(steps: [Step], places: [Pointer]) {
    self.steps = steps
    self.places = places
  }

  /// The indexes of the parameters in it.
  package var parameters: [Int] { Self.parameters(steps) }

  private static func parameters(_ steps: [Step]) -> [Int] {
    steps.flatMap { step -> [Int] in
      switch step {
      case .literal, .separator: []
      case .string(let template): template.parameters
      case .bare(let index): [index]
      case .optional(let needed, let inner): needed + parameters(inner)
      case .place(_, _, let otherwise): parameters(otherwise)
      }
    }
  }

  /// Appends the body.
  ///
  /// - Parameter placed: what paging places at each of ``places``, as JSON text; nil where nothing.
  package func append(
    _ arguments: Arguments, placed: [[UInt8]?], into output: inout [UInt8]
  ) throws(TemplateFailure) {
    try Self.append(steps, arguments, placed, into: &output)
  }

  private static func append(
    _ steps: [Step], _ arguments: Arguments, _ placed: [[UInt8]?], into output: inout [UInt8]
  ) throws(TemplateFailure) {
    for step in steps {
      switch step {
      case .literal(let bytes): output.append(contentsOf: bytes)
      case .separator: separate(&output)
      case .string(let template):
        output.append(UInt8(ascii: "\""))
        try template.append(arguments, into: &output)
        output.append(UInt8(ascii: "\""))
      case .bare(let index):
        guard let value = arguments.values[index] else { preconditionFailure("rendered without a value") }
        output.append(contentsOf: value.text)
      case .optional(let needed, let inner):
        if needed.allSatisfy({ arguments.values[$0] != nil }) {
          try append(inner, arguments, placed, into: &output)
        }
      case .place(let index, let before, let otherwise):
        if let value = placed[index] {
          separate(&output)
          output.append(contentsOf: before)
          output.append(contentsOf: value)
        } else {
          try append(otherwise, arguments, placed, into: &output)
        }
      }
    }
  }

  private static func separate(_ output: inout [UInt8]) {
    if let last = output.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") {
      output.append(UInt8(ascii: ","))
    }
  }
}

/// Literal parts may hold secrets, and are not shown.
extension JSONTemplate: CustomStringConvertible, CustomReflectable {
  package var description: String { "(template of \(steps.count) parts)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
