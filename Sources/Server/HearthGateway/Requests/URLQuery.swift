import HearthTree
import HearthWire

/// The decoded parameters of a URL's query string, in their order.
package struct URLQuery: Sendable {
  /// A decoded parameter.
  package struct Parameter: Sendable {
    /// The text before the first `=`.
    package let name: String
    /// The text after it; empty when there is none.
    package let value: String
  }

  /// The maximum number of parameters. A query is searched once for each possible name; with tens of thousands of
  /// parameters, which fit into a request's head, that would block the event loop for milliseconds. No client sends
  /// more than some dozens.
  static let parametersMax = 1_000

  /// The parameter with the function that a response's script calls.
  static let callbackParameter = "callback"

  /// The parameters, also those without a meaning here.
  package let parameters: [Parameter]

  /// - Parameter strict: true for standards-strict decoding, as the client asks: a `+` is a plus.
  /// - Throws: 400 when a name or value is not UTF-8, or there are more than ``parametersMax``.
  package init(_ bytes: some Collection<UInt8>, strict: Bool = false) throws(RESTFailure) {
    var parameters: [Parameter] = []
    for part in bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.parametersMax) {
      guard parameters.count < Self.parametersMax else {
        throw RESTFailure(400, "Invalid query string: more than \(Self.parametersMax) parameters.")
      }
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part.dropFirst(name.count + 1)
      guard let name = PercentEncoding.decodeLeniently(name, plusIsSpace: !strict),
        let value = PercentEncoding.decodeLeniently(value, plusIsSpace: !strict)
      else { throw RESTFailure(400, "Invalid query string: not UTF-8.") }
      parameters.append(Parameter(name: name, value: value))
    }
    self.parameters = parameters
  }

  /// Returns the value of a parameter that may occur once; nil when it is absent.
  ///
  /// - Throws: 400 when it occurs twice, because a guess which one was meant would let checks be bypassed.
  func single(_ name: String) throws(RESTFailure) -> String? {
    var found: String?
    for parameter in parameters where parameter.name == name {
      guard found == nil else { throw RESTFailure(400, "Parameter \(name) given more than once.") }
      found = parameter.value
    }
    return found
  }

  /// Returns the first of the named parameters that is present.
  package func first(of names: [String]) -> String? {
    parameters.first { names.contains($0.name) }?.name
  }
}
