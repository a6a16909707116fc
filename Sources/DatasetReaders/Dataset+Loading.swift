import Execution
import Foundation
import Geometry

extension Dataset {
  /// Reads a data set's annotations.
  ///
  /// No image is decoded: whether images can be read, and whether boxes lie in them, is `DatasetCheck`'s work.
  ///
  /// - Parameters:
  ///   - catalog: where manifests and their files are.
  ///   - cancellation: looked at while folders are searched, which then throws `CancelledError`.
  /// - Throws: `InputError` where the reference names nothing, a file cannot be parsed at all, or no image is left. Faults
  ///   of single entries are in `problems`.
  public static func load(
    _ reference: DatasetReference, catalog: ManifestCatalog = ManifestCatalog.standard(),
    cancellation: Cancellation = Cancellation()
  ) throws -> Dataset {
    let name = reference.description
    let request: ReadRequest
    var excluded: [ImageNameList] = []
    var choices: [[String: String]] = []
    switch reference.source {
    case .files(let format, let path):
      request = ReadRequest(
        format: format, path: path, options: reference.options, text: name, cancellation: cancellation)
    case .manifest(let set, let split):
      let resolved = try catalog.resolve(set: set, split: split)
      let given = reference.options.filter { !DatasetFormat.commonOptions.contains($0.key) }
      for key in given.keys.sorted() where !resolved.format.ownOptions.contains(key) {
        throw DatasetReference.unknownOption(
          key, in: name, known: DatasetFormat.commonOptions.union(resolved.format.ownOptions))
      }
      request = ReadRequest(
        format: resolved.format, path: resolved.path, options: resolved.options.merging(given) { $1 }, text: name,
        cancellation: cancellation)
      if !resolved.excludedNames.isEmpty {
        excluded.append(ImageNameList(names: resolved.excludedNames, path: resolved.manifestPath))
      }
      choices.append(reference.options)
    }
    choices.insert(request.options, at: 0)

    let wanted = try choices.compactMap { $0["split"] }.map { try ImageNameList(contentsOf: $0) }
    excluded += try choices.compactMap { $0["exclude"] }.map { try ImageNameList(contentsOf: $0) }
    var builder = DatasetBuilder(wanted: wanted, unwanted: excluded)
    builder.report(wanted.flatMap(\.problems) + excluded.flatMap(\.problems))
    try request.read(into: &builder)
    builder.finish()
    try FileUse.ofProgram.willRead(builder.sources.lazy.compactMap(\.filePath))

    var set = Dataset(
      references: [reference], name: name, images: builder.images, sources: builder.sources,
      problems: builder.problems)
    for options in choices {
      if let labels = options["labels"] { set.expect(labels: labels.split(separator: ",").map(String.init)) }
      for (key, keeps) in [("keep", true), ("leave", false)] {
        if let value = options[key] {
          set = set.part(try Fold(value, key: key, in: name), keeps: keeps)
        }
      }
    }
    guard !set.images.isEmpty else {
      let first = set.problems.max { $0.severity < $1.severity }
      throw InputError(
        source: name, problem: "holds no image that can be used", hint: first.map { "first fault: \($0)" })
    }
    return set
  }

  /// Reads several data sets and joins them: see `joined(_:)`.
  public static func load(
    _ references: [DatasetReference], catalog: ManifestCatalog = ManifestCatalog.standard(),
    cancellation: Cancellation = Cancellation()
  ) throws -> Dataset {
    precondition(!references.isEmpty)
    let sets = try references.map { try load($0, catalog: catalog, cancellation: cancellation) }
    return sets.count == 1 ? sets[0] : joined(sets)
  }

  private mutating func expect(labels: [String]) {
    let known = Set(labels)
    var told: Set<String> = []
    mapAnnotations { image, annotation in
      guard !known.contains(annotation.label) else { return nil }
      annotation.isIgnored = true
      guard told.insert("\(image.name)\n\(annotation.label)").inserted else { return nil }
      return DatasetProblem(
        file: image.path, image: image.name, kind: .unknownLabel, outcome: .ignored,
        message:
          "label \(quoted(annotation.label)) in \(quoted(image.name)) is not one of \(labels.joined(separator: ", "))"
      )
    }
  }

  private func part(_ fold: Fold, keeps: Bool) -> Dataset {
    let groups = Set(images.map(\.groupKey))
    let chosen = groups.filter { fold.holds($0) == keeps }
    let kept = images.indices.filter { chosen.contains(images[$0].groupKey) }
    let gone = Set(images.lazy.filter { !chosen.contains($0.groupKey) }.map(\.name))
    return Dataset(
      references: references, name: name, images: kept.map { images[$0] }, sources: kept.map { sources[$0] },
      problems: problems.filter { problem in problem.image.map { !gone.contains($0) } ?? true })
  }
}

/// The K-th of N parts.
private struct Fold {
  /// 0-based.
  var index: Int
  var count: Int

  init(_ text: String, key: String, in source: String) throws {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = NumberField.count(parts[0]), let count = NumberField.count(parts[1]),
      count >= 2, (1...count).contains(index)
    else {
      throw InputError(
        source: source, field: "?\(key)=", problem: "is no part of a set", found: "\"\(text)\"",
        expected: "K/N with 1 <= K <= N and N >= 2, for example 1/5")
    }
    self.index = index - 1
    self.count = count
  }

  func holds(_ group: String) -> Bool {
    let number = UInt32(SHA256.hexDigest(of: group.utf8).prefix(8), radix: 16) ?? 0
    return Int(number) % count == index
  }
}

extension ReadRequest {
  func read(into builder: inout DatasetBuilder) throws {
    switch format {
    case .wider: try WiderFaceReader.read(self, into: &builder)
    case .inria: try INRIAPersonReader.read(self, into: &builder)
    case .cmuMIT: try CMUMITReader.read(self, into: &builder)
    case .vec: try VecReader.read(self, into: &builder)
    case .list, .bg: try ImageListReader.read(self, into: &builder)
    case .info: try InfoListReader.read(self, into: &builder)
    case .jsonl: try JSONLinesReader.read(self, into: &builder)
    case .imglab: try ImglabReader.read(self, into: &builder)
    case .voc: try VOCReader.read(self, into: &builder)
    case .ibug: try IBUGReader.read(self, into: &builder)
    case .folder: try ImageFolderReader.read(self, into: &builder)
    }
  }
}
