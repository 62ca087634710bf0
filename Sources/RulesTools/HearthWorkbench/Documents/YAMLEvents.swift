import CYaml

/// The events of a YAML text, one after another.
///
/// They are read by libyaml, which is part of the package Yams. Yams's own composer is not used: it hashes every key
/// with all expansions of aliases, so that a malicious file of a few hundred bytes would take years.
final class YAMLEvents {
  /// An event, with the offset at which it begins.
  struct Event {
    enum Form {
      case streamEnd
      /// The start of the stream or a document, or the end of a document.
      case boundary(isDocumentStart: Bool)
      case alias(String)
      case scalar(String, isPlain: Bool)
      case sequenceStart
      case sequenceEnd
      case mappingStart
      case mappingEnd
    }
    var form: Form
    var anchor: String?
    var hasTag = false
    var place: TextOffset
  }

  /// The error for text that libyaml does not understand.
  struct Problem: Error {
    var message: String
    var place: TextOffset
  }

  // libyaml keeps pointers to its state and to the text, so both are allocated and not moved until deinit.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  init(_ text: String) {
    let utf8 = Array(text.utf8)
    bytes = .allocate(capacity: max(1, utf8.count))
    _ = bytes.initialize(from: utf8)
    parser.initialize(to: yaml_parser_t())
    yaml_parser_initialize(parser)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, utf8.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  func next() throws(Problem) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
    defer { yaml_event_delete(&event) }
    let place = TextOffset.scalar(Int(clamping: event.start_mark.index))
    switch event.type {
    case YAML_STREAM_END_EVENT: return Event(form: .streamEnd, place: place)
    case YAML_ALIAS_EVENT: return Event(form: .alias(Self.text(event.data.alias.anchor) ?? ""), place: place)
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
      return Event(
        form: .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE), anchor: Self.text(scalar.anchor),
        hasTag: scalar.tag != nil, place: place)
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return Event(form: .sequenceStart, anchor: Self.text(start.anchor), hasTag: start.tag != nil, place: place)
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return Event(form: .mappingStart, anchor: Self.text(start.anchor), hasTag: start.tag != nil, place: place)
    case YAML_SEQUENCE_END_EVENT: return Event(form: .sequenceEnd, place: place)
    case YAML_MAPPING_END_EVENT: return Event(form: .mappingEnd, place: place)
    default: return Event(form: .boundary(isDocumentStart: event.type == YAML_DOCUMENT_START_EVENT), place: place)
    }
  }

  private func problem() -> Problem {
    let state = parser.pointee
    let said = state.problem.map { String(cString: $0) } ?? "it cannot be read"
    // libyaml's own nesting limit, which is far above the limit here, is checked before the content is returned.
    if said.hasPrefix("Maximum nesting level") {
      return Problem(
        message: "More than \(WorkbenchLimits.nestingMax) levels of objects and lists.",
        place: .scalar(Int(clamping: state.problem_mark.index)))
    }
    let context = state.context.map { String(cString: $0) + ", " } ?? ""
    if state.error == YAML_READER_ERROR {
      return Problem(message: "Invalid YAML: \(said).", place: .byte(Int(clamping: state.problem_offset)))
    }
    return Problem(message: "Invalid YAML: \(context)\(said).", place: .scalar(Int(clamping: state.problem_mark.index)))
  }

  private static func text(_ pointer: UnsafeMutablePointer<UInt8>?) -> String? {
    // libyaml's texts end with a NUL and are valid as long as their event.
    pointer.map { String(cString: $0) }
  }
}
