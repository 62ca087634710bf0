import Testing

@Suite struct FormatTests {
  @Test("the sources are formatted as .swift-format defines")
  func swiftFormatIsContent() throws {
    let (code, output) = try Project.run([
      "swift", "format", "lint", "--strict", "--parallel", "--recursive", "--configuration", ".swift-format",
      "Package.swift", "Plugins", "Sources", "Tests",
    ])
    #expect(
      code == 0,
      "\(output.prefix(4000))\nfix with: swift format --in-place --recursive Package.swift Plugins Sources Tests")
  }

  @Test("shell scripts have valid syntax")
  func scriptsParse() throws {
    for script in ["Deploy/deb.sh", "Deploy/packages.sh", "Deploy/toolchain.sh", "Deploy/try-deb.sh", ".ci/run"] {
      let (code, output) = try Project.run(["bash", "-n", script])
      #expect(code == 0, "\(script): \(output)")
    }
  }
}
