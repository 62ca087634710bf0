import HearthTree

extension Program {
  func text(
    _ function: TextFunction, _ operand: Int32, _ first: Int32, _ second: Int32, _ index: Int32,
    _ context: inout EvaluationContext
  ) throws(EvaluationError) -> Operand {
    let text = try string(operand, index, &context)
    try charge(text.utf8.count, index, &context)
    let factor =
      switch function.cost {
      case .none: 0
      case .search: 2
      case .changeOfCase: 3
      case .replacement: 7
      }
    try charge(text.utf8.count * factor, index, &context)
    let part = first < 0 ? "" : try string(first, index, &context)
    let other = second < 0 ? "" : try string(second, index, &context)
    let result = function.result(for: text, part, other, limitBytes: RulesLimits.textBytesMax)
    guard let result else { throw failure(.textLimit, index) }
    if function.cost == .replacement, case .string(let text) = result { try charge(text.utf8.count, index, &context) }
    return result
  }

  func length(_ operand: Int32, _ index: Int32, _ context: inout EvaluationContext) throws(EvaluationError) -> Int {
    let text = try text(operand, index, &context)
    try charge(text.byteCount ?? 0, index, &context)
    return text.withBytes { Text.length($0) } ?? 0
  }

  func join(
    _ template: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> String {
    var bytes: [UInt8] = []
    try append(template, to: &bytes, index, &context)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the values of a template's pieces: texts unchanged, numbers as text. A single piece must be a text,
  /// because only a sum converts numbers to texts.
  func append(
    _ template: Int32, to bytes: inout [UInt8], _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    if context.observation != nil {
      try appendObserved(template, to: &bytes, index, &context)
    } else {
      let pieces = templates[Int(template)].pieces
      for piece in pieces { try append(piece, isAlone: pieces.count == 1, to: &bytes, index, &context) }
    }
    try charge(bytes.count, index, &context)
  }

  private func append(
    _ piece: PathTemplate.Piece, isAlone: Bool, to bytes: inout [UInt8], _ index: Int32,
    _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    switch piece {
    case .bytes(let literal): bytes.append(contentsOf: literal)
    case .operation(let operand):
      let value = try evaluate(operand, &context)
      if value.withBytes({ bytes.append(contentsOf: $0) }) == nil {
        bytes.append(contentsOf: try digits(value, isAlone: isAlone, index).utf8)
      }
    }
    guard bytes.count <= RulesLimits.textBytesMax else { throw failure(.textLimit, index) }
  }

  private func digits(_ value: Operand, isAlone: Bool, _ index: Int32) throws(EvaluationError) -> String {
    guard case .number(let number) = value, !isAlone else { throw failure(.wrongType, index) }
    return NumberText.of(number)
  }

  /// Appends the values of a template's pieces to the scratch buffer. When the buffer is too small, returns all the
  /// bytes instead; otherwise nil.
  func appendShort(
    _ template: Int32, _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) -> [UInt8]? {
    let start = context.scratch.end
    let pieces = templates[Int(template)].pieces
    for number in pieces.indices {
      var overflow: [UInt8]?
      switch pieces[number] {
      case .bytes(let literal):
        if !literal.withUnsafeBytes({ context.scratch.append($0) }) { overflow = literal }
      case .operation(let operand):
        let value = try evaluate(operand, &context)
        let fits = value.withBytes { context.scratch.append(UnsafeRawBufferPointer($0)) }
        switch fits {
        case true?: break
        case false?: overflow = value.withBytes { Array($0) }
        case nil:
          var digits = try digits(value, isAlone: pieces.count == 1, index)
          if !digits.withUTF8({ context.scratch.append(UnsafeRawBufferPointer($0)) }) { overflow = Array(digits.utf8) }
        }
      }
      guard let overflow else { continue }
      var bytes = Array(context.scratch.bytes(from: start)) + overflow
      guard bytes.count <= RulesLimits.textBytesMax else { throw failure(.textLimit, index) }
      for piece in pieces[(number + 1)...] {
        try append(piece, isAlone: false, to: &bytes, index, &context)
      }
      try charge(bytes.count, index, &context)
      return bytes
    }
    try charge(context.scratch.end - start, index, &context)
    return nil
  }

  private func appendObserved(
    _ template: Int32, to bytes: inout [UInt8], _ index: Int32, _ context: inout EvaluationContext
  ) throws(EvaluationError) {
    let pieces = templates[Int(template)].pieces
    var (starts, next) = ([Int](), 0)
    do {
      for (number, piece) in pieces.enumerated() {
        starts.append(bytes.count)
        try append(piece, isAlone: pieces.count == 1, to: &bytes, index, &context)
        context.observation?.noteTemplate(template, &next, after: number, starts, bytes, of: self)
      }
    } catch {
      context.observation?.noteTemplate(template, from: next, failedIn: starts.count - 1, error)
      throw error
    }
  }
}
