/// Something in a data set's files that is not as it should be, and what became of the entry.
///
/// Readers drop nothing silently: whatever they leave out or change is told here. What cannot be parsed at all is thrown
/// as an `InputError` instead.
public struct DatasetProblem: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The file that an entry names does not exist. The entry is left out.
    case missingImage
    /// An image whose annotation file does not exist. The image is left out.
    case missingAnnotation
    /// An annotation file of one image that cannot be read. The image is left out.
    case unreadableAnnotation
    /// An image that cannot be decoded (found by `DatasetCheck` alone, for loading decodes nothing). The entry is kept.
    case unreadableImage
    /// An image that could be read though something is amiss, for example a JPEG that is cut short (found by `DatasetCheck`
    /// alone). The entry is kept.
    case doubtfulImage
    /// A file of an image format that is not supported. The file is left out.
    case unsupportedImage
    /// A file that is no image in a folder of images. The file is left out.
    case notAnImage
    /// The image is there under another suffix than the annotation says. The entry is kept.
    case otherSuffix
    /// A box with no point in its image. It is turned to ignored where the image's size is known (`fitted(to:)`).
    case boxOutside
    /// A box that sticks out of its image by more than a pixel. It is kept: objects are cut by image borders.
    case boxPartlyOutside
    /// A box with a side of zero. It is left out.
    case emptyBox
    /// A box with a negative side. It is left out.
    case negativeSize
    /// A second box with the same place and label in one image. It is left out.
    case duplicateBox
    /// A second entry of one image. Its boxes join the first entry's; a repeated line of a plain list is left out.
    case duplicateImage
    /// A label that was not expected. The annotation is turned to ignored.
    case unknownLabel
    /// An entry that the annotation file says is incomplete or uncertain. It is turned to ignored.
    case markedIgnored
    /// Spaces or tabs at the end of a line. They are taken off.
    case trailingSpace
    /// Carriage returns at line ends. They are taken off.
    case carriageReturn
    /// A UTF-8 byte-order mark. It is taken off.
    case byteOrderMark
    /// Text that is not UTF-8. It is read as Latin-1.
    case encoding
    /// A line that cannot be read in a file whose lines stand alone. The line is left out.
    case malformedLine
    /// A count that differs from what follows. What follows is kept.
    case countMismatch
    /// Boxes lack landmarks that others of the file have. These are labelled absent.
    case absentLandmarks
    /// A name on a split or exclusion list that the set does not hold. The name is left out.
    case unknownName
    /// A folder that cannot be read, or that leads back into itself. What is below is left out.
    case unreadableFolder
    /// A key of a JSON line that means nothing. It is passed over.
    case unknownKey
    /// A rule of an annotation filter that no annotation has an attribute for.
    case ruleWithoutEffect
  }

  /// How bad it is. `check` fails on errors alone.
  public enum Severity: String, Hashable, Sendable, Codable, Comparable {
    /// Mended without loss.
    case note
    /// Worth a look: something was changed or is doubtful.
    case warning
    /// Data was lost or cannot be used.
    case error

    public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }
    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .error: 2
      }
    }
  }

  /// What became of the entry.
  public enum Outcome: String, Hashable, Sendable, Codable {
    case kept
    case ignored
    case merged
    case leftOut
  }

  /// The annotation file, list or image.
  public var file: String
  /// 1-based, where the file is text.
  public var line: Int?
  /// The name of the image that it concerns, where it concerns one.
  public var image: String?
  public var kind: Kind
  public var outcome: Outcome
  /// What was found, in one line.
  public var message: String

  public init(
    file: String, line: Int? = nil, image: String? = nil, kind: Kind, outcome: Outcome, message: String
  ) {
    self.file = file
    self.line = line
    self.image = image
    self.kind = kind
    self.outcome = outcome
    self.message = message
  }

  public var severity: Severity {
    switch kind {
    case .trailingSpace, .carriageReturn, .byteOrderMark, .encoding, .notAnImage, .otherSuffix, .markedIgnored: .note
    case .boxPartlyOutside, .duplicateBox, .duplicateImage, .doubtfulImage, .unknownKey, .ruleWithoutEffect, .emptyBox,
      .absentLandmarks:
      .warning
    case .missingImage, .missingAnnotation, .unreadableAnnotation, .unreadableImage, .unsupportedImage, .boxOutside,
      .negativeSize,
      .unknownLabel,
      .malformedLine, .countMismatch, .unknownName, .unreadableFolder:
      .error
    }
  }
}

extension DatasetProblem: CustomStringConvertible {
  /// `FILE:LINE: severity: message [kind, outcome]`.
  public var description: String { "\(place): \(severity.rawValue): \(message) [\(kind.rawValue), \(fate)]" }

  /// `FILE:LINE: message (outcome)`: for readers who are told the severity otherwise.
  public var sentence: String { "\(place): \(message) (\(fate))" }

  private var place: String { line.map { "\(file):\($0)" } ?? file }

  private var fate: String {
    switch outcome {
    case .kept: "kept"
    case .ignored: "turned to ignored"
    case .merged: "merged"
    case .leftOut: "left out"
    }
  }
}
