import Execution
import Geometry
import Imaging

/// The images of a data set with their annotations, its faults, and the way to the pixels.
///
/// Annotations are read when it is loaded; images are opened one at a time when they are asked for, so that memory does
/// not grow with their number.
///
///     let set = try Dataset.load(.parse("wider/train"))
///     for index in set.images.indices {
///       let image = try set.image(at: index)
///       for face in set.images[index].annotations where !face.isIgnored { … }
///     }
public struct Dataset: Sendable {
  /// What it was loaded by; several where sets were joined.
  public let references: [DatasetReference]
  /// For headings: the references' text.
  public let name: String
  /// In the order of the annotation file; bytewise by name where the format has no order. Names are unique.
  public private(set) var images: [AnnotatedImage]
  /// Where the pixels of each image are, as `images`.
  public private(set) var sources: [ImageSource]
  /// Everything that was not as it should be, in reading order.
  public private(set) var problems: [DatasetProblem]

  /// - Precondition: one source an image; names unique.
  public init(
    references: [DatasetReference], name: String, images: [AnnotatedImage], sources: [ImageSource],
    problems: [DatasetProblem]
  ) {
    precondition(images.count == sources.count)
    precondition(Set(images.map(\.name)).count == images.count, "image names of a data set are unique")
    self.references = references
    self.name = name
    self.images = images
    self.sources = sources
    self.problems = problems
  }

  /// Labels of the annotations that are not ignored, sorted.
  public var labels: [String] {
    Set(images.flatMap { $0.annotations.filter { !$0.isIgnored }.map(\.label) }).sorted()
  }

  /// Reads and decodes one image. May be called from any thread.
  /// - Throws: `InputError` with the path and what is wrong.
  public func image(at index: Int, options: ImageReadOptions = ImageReadOptions()) throws -> ByteImage {
    try sources[index].read(options: options)
  }

  /// The upright size of one image, from its header alone.
  /// - Throws: as `image(at:)`; a fault beyond the header is not seen.
  public func size(at index: Int, options: ImageReadOptions = ImageReadOptions()) throws -> PixelSize {
    try sources[index].size(options: options)
  }

  /// The group that keeps an image's mirrors and crops together: `AnnotatedImage.group`, or the image's own name.
  public func group(at index: Int) -> String { images[index].groupKey }

  /// The set with annotations that are no targets turned to ignored: see `AnnotationFilter`.
  public func filtered(by filter: AnnotationFilter) -> Dataset {
    var copy = self
    for index in images.indices {
      copy.images[index].annotations = filter.applied(to: images[index].annotations)
    }
    let all = images.lazy.flatMap(\.annotations)
    for rule in filter.rulesWithoutEffect(on: all) where !all.isEmpty {
      copy.problems.append(
        DatasetProblem(
          file: name, kind: .ruleWithoutEffect, outcome: .kept,
          message: "no annotation has \"\(rule.field.name)\", so the rule \"\(rule)\" does nothing"))
    }
    return copy
  }

  /// Changes annotations in place; `body` gives back a problem to tell, or `nil`.
  mutating func mapAnnotations(_ body: (AnnotatedImage, inout Annotation) -> DatasetProblem?) {
    for index in images.indices {
      let image = images[index]
      for item in image.annotations.indices {
        if let problem = body(image, &images[index].annotations[item]) { problems.append(problem) }
      }
    }
  }

  /// The images at some indices, in that order, with all problems.
  public func subset(_ indices: some Sequence<Int>) -> Dataset {
    let chosen = Array(indices)
    return Dataset(
      references: references, name: name, images: chosen.map { images[$0] }, sources: chosen.map { sources[$0] },
      problems: problems)
  }

  /// Several sets as one, in order.
  ///
  /// Image names stay as they are. Where a name occurs in two sets, every name of every set gets its set's name and a
  /// slash before it, and so do the groups; `AnnotatedImage.ownName` goes on giving the first.
  public static func joined(_ sets: [Dataset]) -> Dataset {
    var seen: Set<String> = []
    let clash = sets.contains { set in set.images.contains { !seen.insert($0.name).inserted } }
    var images: [AnnotatedImage] = []
    var prefixes: [String: Int] = [:]
    for set in sets {
      let repetition = prefixes[set.name, default: 0]
      prefixes[set.name] = repetition + 1
      let prefix = set.name + (repetition == 0 ? "" : "#\(repetition + 1)") + "/"
      for var image in set.images {
        if clash {
          image.nameBeforeJoining = image.ownName
          image.name = prefix + image.name
          image.group = image.group.map { prefix + $0 }
        }
        images.append(image)
      }
    }
    return Dataset(
      references: sets.flatMap(\.references), name: sets.map(\.name).joined(separator: " "), images: images,
      sources: sets.flatMap(\.sources), problems: sets.flatMap(\.problems))
  }
}

extension AnnotatedImage {
  /// `group`, or the image's own name where it is a group by itself.
  public var groupKey: String { group ?? name }

  /// The annotations as they bear on an image of this size, and what is wrong with them.
  ///
  /// A box with no point in the image becomes ignored (it can be neither found nor missed). A box that sticks out by more
  /// than a pixel stays a target and is told.
  public func fitted(to size: PixelSize) -> (annotations: [Annotation], problems: [DatasetProblem]) {
    let frame = Box(size)
    let (file, line) = (origin?.file ?? path, origin?.line)
    var result = annotations
    var problems: [DatasetProblem] = []
    for index in result.indices {
      let box = result[index].box
      let text = "\(result[index].label) box \(describe(box)) of \(quoted(name))"
      let frameText = "the image of \(size.width) x \(size.height)"
      if box.intersectionArea(frame) <= 0 {
        result[index].isIgnored = true
        problems.append(
          DatasetProblem(
            file: file, line: line, image: name, kind: .boxOutside, outcome: .ignored,
            message: "\(text) lies outside \(frameText)"))
      } else if box.x < -1 || box.y < -1 || box.maxX > frame.maxX + 1 || box.maxY > frame.maxY + 1 {
        problems.append(
          DatasetProblem(
            file: file, line: line, image: name, kind: .boxPartlyOutside, outcome: .kept,
            message: "\(text) sticks out of \(frameText)"))
      }
    }
    return (result, problems)
  }
}
