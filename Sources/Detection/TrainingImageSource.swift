import Execution
import Geometry
import Imaging

/// Annotated photos to train on, opened one at a time.
///
/// Several threads ask at once, so an implementation holds no cursor. The same index always gives the same answer.
public protocol TrainingImageSource: Sendable {
  /// How many photos there are; their indices are `0..<count`.
  var count: Int { get }

  /// The photo's name as messages and reports give it.
  func name(at index: Int) -> String

  /// What the photo belongs with: photos of one group (frames of a film, mirrors) are never split over folds.
  func group(at index: Int) -> String

  /// The objects in the photo, in pixels of the upright photo; ignored regions are among them, marked.
  func annotations(at index: Int) -> [Annotation]

  /// Reads the photo, upright.
  func image(at index: Int) throws -> ByteImage

  /// Reads the photo with what is wrong with it, though it can be read. The default knows of nothing.
  func photo(at index: Int) throws -> TrainingPhoto

  /// Jittered copies of each of the photo's objects, besides itself; `nil` leaves it to the training's options.
  func copies(at index: Int) -> Int?

  /// Whether negatives may be taken from the photo, away from its objects: not where objects may be unlabelled. The
  /// default is true.
  func allowsNegatives(at index: Int) -> Bool

  /// The line that names the photo, for messages about it. The default is `nil`: not known.
  func origin(at index: Int) -> FileLine?

  /// A checksum of the photo's content, by which a resumed training knows its data. The default hashes the pixels.
  func checksum(at index: Int) throws -> String
}

/// A photo as it was read.
public struct TrainingPhoto: Sendable {
  public var image: ByteImage
  /// What is wrong with a file that was damaged or cut short, of which rows are of one grey or parts coarse or false; `nil`
  /// for a whole photo. What is learnt from those parts is wrong.
  public var damage: String?

  public init(_ image: ByteImage, damage: String? = nil) {
    self.image = image
    self.damage = damage
  }
}

extension TrainingImageSource {
  public func photo(at index: Int) throws -> TrainingPhoto { TrainingPhoto(try image(at: index)) }

  /// The photo's name for messages, behind the file and line that name it where they are known.
  func place(at index: Int) -> String { (origin(at: index).map { "\($0): " } ?? "") + name(at: index) }

  public func group(at index: Int) -> String { name(at: index) }

  public func copies(at index: Int) -> Int? { nil }

  public func allowsNegatives(at index: Int) -> Bool { true }

  public func origin(at index: Int) -> FileLine? { nil }

  public func checksum(at index: Int) throws -> String {
    let image = try image(at: index)
    var hash = ContentHash()
    hash.add("\(image.width) \(image.height) \(image.channelCount)")
    hash.add(image.pixels)
    return hash.digest
  }
}
