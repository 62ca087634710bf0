import Testing

/// Checks that the guide of the Swift client names a test for each declaration.
@Suite struct ClientGuideTests {
  @Test("every test that the guide's table names exists")
  func testsAreThere() throws {
    let guide = try Project.text("Sources/Guide/ClientSDK.md")
    let references = TestReference.all(in: guide)
    #expect(references.count > 30)
    for reference in references { #expect(reference.exists, "\(reference.file) \"\(reference.name)\"") }
  }
}
