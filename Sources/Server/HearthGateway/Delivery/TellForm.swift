import HearthEngine
import HearthTransport
import NIOCore

/// In which bytes a client is told of an event. Clients with the same form get the same bytes.
enum TellForm: Hashable {
  /// Over a socket.
  case frames
  /// Over a socket whose client takes no large frames.
  case segments
  case stream(StreamForm)
}

extension SharedEvent {
  /// The event for clients of that form; nil when it shows nothing to them. Not for large events.
  func bytes(in form: TellForm, tag: Int32?) -> ByteBuffer? {
    switch form {
    case .frames: return message(tag: tag).frame
    case .segments: return message(tag: tag).segmentedFrames()
    case .stream(let form):
      guard case .text(let text, _)? = streamTexts.text(form), text.readableBytes > 0 else { return nil }
      return text
    }
  }
}

/// One event on its way into the lines of a loop's clients, made once for each form and tag.
struct Telling {
  private struct Name: Hashable {
    var form: Int32
    var tag: Int32?
  }

  private let event: SharedEvent
  private let outlets: OutletTable
  private let forms: [TellForm]
  /// What the last client was told, which most of the next are told too.
  private var name = Name(form: 0, tag: nil)
  private var step = OutletStep(ByteBuffer())
  /// The event shows nothing in this form.
  private var isSilent = true
  private var others: [Name: (step: OutletStep, isSilent: Bool)] = [:]

  /// What is kept of other forms and tags. Those who show the same page use the same few.
  private static let othersMax = 8

  /// - Parameter forms: by their numbers, which count from 1.
  init(_ event: SharedEvent, over outlets: OutletTable, forms: [TellForm]) {
    self.event = event
    self.outlets = outlets
    self.forms = forms
  }

  /// Puts the event in the line of a client that is told in a form.
  @inline(__always)
  mutating func stage(_ row: ClientTable.Row, tag: Int32?) {
    if row.form != name.form || tag != name.tag { change(to: Name(form: row.form, tag: tag)) }
    if !isSilent { outlets.stage(row.outlet, &step) }
  }

  private mutating func change(to next: Name) {
    if name.form != 0, others.count < Self.othersMax || others[name] != nil { others[name] = (step, isSilent) }
    name = next
    if let known = others[next] {
      (step, isSilent) = known
    } else {
      let bytes = event.bytes(in: forms[Int(next.form) - 1], tag: next.tag)
      (step, isSilent) = (OutletStep(bytes ?? ByteBuffer()), bytes == nil)
    }
  }
}
