/// The annotation formats that can be read; the raw value is the word before the colon in `FORMAT:PATH`.
public enum DatasetFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// WIDER FACE: `WiderFaceReader`. The path is the folder that holds `WIDER_train` and `wider_face_split`.
  case wider
  /// INRIA Person: `INRIAPersonReader`. The path is the folder that holds `96X160H96`, `Train` and `Test`.
  case inria
  /// CMU+MIT frontal faces: `CMUMITReader`. The path is the folder that holds `ground_truth_bboxes.txt` and `images`.
  case cmuMIT = "cmu-mit"
  /// OpenCV's packed samples: `VecReader`. The path is the `.vec` file.
  case vec
  /// OpenCV's list of images with their boxes: `InfoListReader`. The path is the text file.
  case info
  /// OpenCV's list of background images: `ImageListReader`. The path is the text file.
  case bg
  /// Every image below a folder, without annotations: `ImageFolderReader`.
  case folder
  /// A text file with one image path a line, without annotations: `ImageListReader`.
  case list
  /// This package's own exchange form, one `AnnotatedImage` as JSON a line: `JSONLinesReader`.
  case jsonl

  /// The `?key=value` settings that the format takes beside those that every format takes.
  var ownOptions: Set<String> {
    switch self {
    case .wider: ["part"]
    case .inria: ["part", "box"]
    case .cmuMIT, .folder: []
    case .info: ["root", "label"]
    case .vec: ["width", "label"]
    case .bg, .list, .jsonl: ["root"]
    }
  }

  /// Settings of every format: see `DatasetReference`.
  static let commonOptions: Set<String> = ["split", "exclude", "keep", "leave", "labels"]

  /// Settings whose value is a path.
  static let pathOptions: Set<String> = ["split", "exclude", "root"]
}
