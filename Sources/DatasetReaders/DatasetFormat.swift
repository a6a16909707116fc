/// The annotation formats that can be read; the raw value is the word before the colon in `FORMAT:PATH`.
public enum DatasetFormat: String, Hashable, Sendable, Codable, CaseIterable {
  /// WIDER FACE: `WiderFaceReader`. The path is the folder that holds `WIDER_train` and `wider_face_split`.
  case wider
  /// INRIA Person: `INRIAPersonReader`. The path is the folder that holds `96X160H96`, `Train` and `Test`.
  case inria
  /// CMU+MIT frontal faces: `CMUMITReader`. The path is the folder that holds `ground_truth_bboxes.txt` and `images`.
  case cmuMIT = "cmu-mit"
  /// 300-W and its like, one `.pts` file beside each image: `IBUGReader`. The path is a folder.
  case ibug
  /// dlib's imglab XML: `ImglabReader`. The path is the XML file.
  case imglab
  /// OpenCV's packed samples: `VecReader`. The path is the `.vec` file.
  case vec
  /// OpenCV's list of images with their boxes: `InfoListReader`. The path is the text file.
  case info
  /// OpenCV's list of background images: `ImageListReader`. The path is the text file.
  case bg
  /// PASCAL VOC XML: `VOCReader`. The path is the folder that holds `Annotations` and `JPEGImages`.
  case voc
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
    case .ibug: ["box", "scale", "label"]
    case .imglab, .info: ["root", "label"]
    case .vec: ["width", "label"]
    case .bg, .list, .jsonl: ["root"]
    case .voc: ["part", "difficult", "truncated"]
    }
  }

  /// Settings of every format: see `DatasetReference`.
  static let commonOptions: Set<String> = ["split", "exclude", "keep", "leave", "labels"]

  /// Settings whose value is a path.
  static let pathOptions: Set<String> = ["split", "exclude", "root"]
}
