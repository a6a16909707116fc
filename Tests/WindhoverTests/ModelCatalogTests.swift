import Testing
import Windhover

struct ModelCatalogTests {
  @Test func anUnknownModelIsNamedWithWhatThereIs() {
    #expect { try ModelCatalog.path(of: "no-such-model") } throws: { error in
      "\(error)".contains("no-such-model") && "\(error)".contains("expected a file")
    }
  }
}
