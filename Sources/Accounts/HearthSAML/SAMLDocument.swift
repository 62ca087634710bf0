import CXMLSec

/// An XML document from an untrusted source, parsed without active content: there is no DTD, no entity and no
/// processing instruction, nothing is fetched, and its depth and size are limited.
final class SAMLDocument {
  private static let isReady = hearth_xml_start() == 1

  let pointer: OpaquePointer
  let root: SAMLElement

  /// - Parameter allowsComments: true to ignore comments, for hand-written metadata. A response must have none:
  ///   comments within a name have led parsers to cut the name short.
  init(_ bytes: [UInt8], sizeBytesMax: Int, allowsComments: Bool = false) throws(SAMLRefusal) {
    guard Self.isReady else { throw SAMLRefusal("The libraries for signed XML could not be started.") }
    guard bytes.count <= sizeBytesMax else {
      throw SAMLRefusal("The XML has more than \(sizeBytesMax) bytes.")
    }
    try Self.requirePlain(bytes, allowsComments: allowsComments)
    let read = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      // Safe because the library copies the parts of the buffer that it keeps before it returns.
      buffer.withMemoryRebound(to: CChar.self) { hearth_xml_read($0.baseAddress, $0.count) }
    }
    guard let read else { throw SAMLRefusal("The XML is not well formed.") }
    do throws(SAMLRefusal) {
      guard let node = hearth_xml_root(read) else { throw SAMLRefusal("The XML has no element.") }
      root = try Self.element(node, depth: 1)
      pointer = read
    } catch {
      hearth_xml_free(read)
      throw error
    }
  }

  deinit { hearth_xml_free(pointer) }

  /// Requires UTF-8 without NUL, and without `<!` and `<?` except where allowed: so there is no DTD, entity, CDATA or
  /// processing instruction, whatever the parser would do with one.
  private static func requirePlain(_ bytes: [UInt8], allowsComments: Bool) throws(SAMLRefusal) {
    guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
      throw SAMLRefusal("The XML is not UTF-8.")
    }
    var rest = bytes[...]
    if rest.starts(with: "\u{FEFF}".utf8) { rest = rest.dropFirst(3) }
    if rest.starts(with: "<?xml ".utf8) {
      let declaration = rest.prefix { $0 != UInt8(ascii: ">") }
      let text = String(decoding: declaration, as: UTF8.self).lowercased()
      guard !text.contains("encoding") || text.contains("utf-8") else {
        throw SAMLRefusal("The XML declares an encoding other than UTF-8.")
      }
      rest = rest.dropFirst(declaration.count)
    }
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[(start + 1)...]
      switch rest.first {
      case UInt8(ascii: "!"):
        guard allowsComments, rest.starts(with: "!--".utf8) else {
          throw SAMLRefusal("The XML has a document type, a comment or a CDATA section.")
        }
      case UInt8(ascii: "?"): throw SAMLRefusal("The XML has a processing instruction.")
      default: break
      }
      // Attributes of an element precede the next one: `<` cannot occur in their values.
      let attributes = rest.prefix { $0 != UInt8(ascii: "<") }.count { $0 == UInt8(ascii: "=") }
      guard attributes <= SAMLLimits.elementAttributesMax else {
        throw SAMLRefusal("The XML has an element of more than \(SAMLLimits.elementAttributesMax) attributes.")
      }
    }
  }

  private static func element(_ node: OpaquePointer, depth: Int) throws(SAMLRefusal) -> SAMLElement {
    guard depth <= SAMLLimits.depthMax else {
      throw SAMLRefusal("The XML has more than \(SAMLLimits.depthMax) levels of elements.")
    }
    var element = SAMLElement(
      namespace: text(hearth_xml_namespace(node)), name: text(hearth_xml_name(node)), attributes: [], children: [],
      text: "", node: node)
    var attribute = hearth_xml_first_attribute(node)
    while let found = attribute {
      guard let value = hearth_xml_attribute_text(found) else {
        throw SAMLRefusal("The XML has an unreadable attribute.")
      }
      element.attributes.append(
        SAMLElement.Attribute(
          namespace: text(hearth_xml_attribute_namespace(found)), name: text(hearth_xml_attribute_name(found)),
          value: String(cString: value)))
      attribute = hearth_xml_next_attribute(found)
    }
    var child = hearth_xml_first(node)
    while let found = child {
      switch hearth_xml_kind(found) {
      case 1: element.children.append(try Self.element(found, depth: depth + 1))
      case 2: element.text += text(hearth_xml_text(found))
      case 3: break
      default: throw SAMLRefusal("The XML has a node that is neither an element nor text.")
      }
      child = hearth_xml_next(found)
    }
    return element
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

  /// Verifies the signature of an element with one certificate.
  ///
  /// - Returns: the signed octets; nil when the signature is not this certificate's.
  func signedOctets(
    of element: SAMLElement, by signature: SAMLElement, certificate: String, allowsSHA1: Bool
  ) throws(SAMLRefusal) -> [UInt8]? {
    var octets: UnsafeMutablePointer<CChar>?
    var count = 0
    let outcome = hearth_xml_verify(
      pointer, signature.node, element.node, certificate, certificate.utf8.count, allowsSHA1 ? 1 : 0, &octets, &count)
    defer { hearth_xml_release(octets) }
    switch outcome {
    case Int32(HEARTH_XML_SIGNED.rawValue):
      guard let octets else { return nil }
      // Safe because the library returned `count` bytes there, which are freed after the copy.
      return Array(UnsafeRawBufferPointer(start: octets, count: count))
    case Int32(HEARTH_XML_REFUSED.rawValue): return nil
    default: throw SAMLRefusal("The signature could not be checked: the certificate is not valid, or memory is low.")
    }
  }
}
