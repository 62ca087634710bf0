/// An element of a parsed document.
struct SAMLElement {
  struct Attribute {
    /// The namespace; empty without one.
    var namespace: String
    var name: String
    var value: String
  }

  /// The namespace; empty without one.
  var namespace: String
  var name: String
  var attributes: [Attribute]
  /// The child elements.
  var children: [SAMLElement]
  /// The direct text content.
  var text: String
  /// The libxml2 node, valid as long as its document.
  let node: OpaquePointer

  func isNamed(_ name: String, _ namespace: String) -> Bool {
    self.name.utf8.elementsEqual(name.utf8) && self.namespace.utf8.elementsEqual(namespace.utf8)
  }

  /// The value of an attribute without a namespace; nil when there is none.
  func attribute(_ name: String) -> String? {
    attributes.first { $0.namespace.isEmpty && $0.name.utf8.elementsEqual(name.utf8) }?.value
  }

  func all(_ name: String, _ namespace: String) -> [SAMLElement] { children.filter { $0.isNamed(name, namespace) } }

  /// The only child of that name; nil when there is none.
  ///
  /// - Throws: a refusal when there are several.
  func only(_ name: String, _ namespace: String) throws(SAMLRefusal) -> SAMLElement? {
    let found = all(name, namespace)
    guard found.count <= 1 else { throw SAMLRefusal("The document has \(name) twice where only one is allowed.") }
    return found.first
  }

  /// The text of an element without children, trimmed of white space; nil for others.
  var plainText: String? {
    guard children.isEmpty else { return nil }
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }
    let start = text.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(start[...last])
  }

  /// Calls `body` with the element and all its descendants.
  func visit(_ body: (SAMLElement) throws(SAMLRefusal) -> Void) throws(SAMLRefusal) {
    try body(self)
    for child in children { try child.visit(body) }
  }
}

/// Namespaces and names of SAML 2.0.
enum SAMLNames {
  static let protocolSpace = "urn:oasis:names:tc:SAML:2.0:protocol"
  static let assertionSpace = "urn:oasis:names:tc:SAML:2.0:assertion"
  static let metadataSpace = "urn:oasis:names:tc:SAML:2.0:metadata"
  static let signatureSpace = "http://www.w3.org/2000/09/xmldsig#"
  static let xmlSpace = "http://www.w3.org/XML/1998/namespace"
  static let success = "urn:oasis:names:tc:SAML:2.0:status:Success"
  static let bearer = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
  static let redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
  static let postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
  static let emailFormat = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
  static let transientFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient"
}
