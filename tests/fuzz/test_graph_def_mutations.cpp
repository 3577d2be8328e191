// Replays the fuzz targets for GraphDefs without a fuzzer: graphs of TensorFlow, and a fixed number of mutations of
// each.
#include "tests/fuzz/graph_def_input.h"

#include <QDir>
#include <QFile>
#include <QtTest>

#include <random>

using namespace footlight;

namespace {

// Other bytes, parts left out, repeated or moved.
std::string mutated(std::string bytes, std::mt19937& random) {
  const auto below = [&](size_t n) { return n ? random() % n : 0; };
  for (size_t times = 1 + below(4); times > 0 && !bytes.empty(); --times) {
    const size_t at = below(bytes.size()), length = 1 + below(std::min<size_t>(bytes.size() - at, 40));
    switch (below(4)) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.erase(at, length); break;
      case 2: bytes.insert(below(bytes.size()), bytes.substr(at, length)); break;
      default: bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8)); break;
    }
  }
  return bytes;
}

}  // namespace

class TestGraphDefMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void graphs_and_mutations_never_crash() {
    const QDir folder(QStringLiteral(GOLDEN));
    std::mt19937 random(7);
    for (const auto& [pattern, form] :
         {std::pair{"*.pb", fuzz::GraphForm::kBytes}, {"*.pbtxt", fuzz::GraphForm::kText}}) {
      const QStringList files = folder.entryList({QLatin1String(pattern)});
      QVERIFY(files.size() > 30);
      const unsigned before = fuzz::graphs_read();
      for (const QString& name : files) {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string bytes = file.readAll().toStdString();
        fuzz::read_graph_def(bytes, form);
        for (int i = 0; i < 60; ++i) fuzz::read_graph_def(mutated(bytes, random), form);
      }
      // The graphs themselves, and some that a mutation left valid.
      QVERIFY(fuzz::graphs_read() - before > static_cast<unsigned>(files.size()));
    }
  }
};

QTEST_GUILESS_MAIN(TestGraphDefMutations)
#include "test_graph_def_mutations.moc"
