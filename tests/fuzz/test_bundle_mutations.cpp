// Replays the fuzz target for checkpoints without a fuzzer: those of TensorFlow, and a fixed number of mutations of
// each.
#include "engine/formats/bundle.h"
#include "engine/formats/file.h"
#include "tests/fuzz/bundle_input.h"

#include <QtTest>

#include <random>

using namespace footlight;

class TestBundleMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void checkpoints_and_mutations_never_crash() {
    std::mt19937 random(11);
    const auto below = [&](size_t n) { return n ? random() % n : 0; };
    for (const char* name : {"objects-1", "root", "names-4"}) {
      const std::string prefix = std::string(GOLDEN "/") + name;
      const std::string index = formats::read_file(prefix + ".index", 1 << 20);
      const std::string values = formats::read_file(formats::shard_name(prefix, 0, 1), 1 << 20);
      const unsigned before = fuzz::tensors_read();
      fuzz::read_checkpoint(fuzz::checkpoint_input(index, values));
      QVERIFY(fuzz::tensors_read() > before + 1);
      for (int i = 0; i < 1500; ++i) {
        std::string bytes = fuzz::checkpoint_input(index, values);
        for (size_t times = 1 + below(4); times > 0; --times) {
          const size_t at = below(bytes.size()), length = 1 + below(std::min<size_t>(bytes.size() - at, 20));
          switch (below(4)) {
            case 0: bytes[at] = static_cast<char>(random()); break;
            case 1: bytes.erase(at, length); break;
            case 2: bytes.insert(below(bytes.size()), bytes.substr(at, length)); break;
            default: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
          }
        }
        fuzz::read_checkpoint(bytes);
      }
      QVERIFY(fuzz::tensors_read() > before + 100);  // some mutations leave some tensors readable
    }
  }
};

QTEST_GUILESS_MAIN(TestBundleMutations)
#include "test_bundle_mutations.moc"
