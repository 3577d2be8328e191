// Which error ended a run: what the recorder was told decides, not what the script printed.
#include "engine/explain/run_end.h"

#include <QTest>

using namespace footlight;
using namespace footlight::explain;

namespace {

constexpr const char* kPrinted =
    "Traceback (most recent call last):\n  File \"/run/train.py\", line 9, in <module>\n    go()\n"
    "ValueError: the sizes differ\n";

session::EndRecord ended(int code, const char* reason, int signal = 0) { return {1, code, signal, reason}; }

}  // namespace

class TestRunEnd : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_printed_traceback_of_the_error_that_ended_it() {
    const ErrorWords words = error_of_run(ended(1, "ValueError: the sizes differ at train.py:9"), kPrinted);
    QCOMPARE(words.text(), std::string("ValueError: the sizes differ at train.py:9"));
    QCOMPARE(words.file, std::string("/run/train.py"));
  }

  void a_traceback_that_the_script_survived() {
    QVERIFY(error_of_run(ended(0, "finished"), kPrinted).message.empty());
    QVERIFY(error_of_run(ended(3, "exited with status 3"), kPrinted).message.empty());
    QVERIFY(error_of_run(ended(137, "killed (SIGKILL)", 9), kPrinted).message.empty());
  }

  void another_error_of_the_same_class() {
    const ErrorWords words = error_of_run(ended(1, "ValueError: no rows at host:80 at data.py:5"), kPrinted);
    QCOMPARE(words.message, std::string("ValueError: no rows at host:80"));
    QCOMPARE(words.file, std::string("data.py"));
    QCOMPARE(words.line, 5);
    QCOMPARE(error_of_run(ended(1, "ValueError: no rows at data.py:5"), {}).place(), std::string("data.py:5"));
  }

  void the_traceback_may_come_in_pieces() {
    std::vector<session::ConsoleRecord> console(4);
    for (session::ConsoleRecord& c : console) c.stream = session::ConsoleStream::kStderr;
    console[0].text = std::string(kPrinted) + "\nTraceback (most recent ";
    console[1].text = "call last):\n  File \"/run/a.py\", line 2, in f\n";
    console[2].stream = session::ConsoleStream::kStdout;
    console[2].text = "printed between\n";
    console[3].text = "    g()\nKeyError: 'x'\n";
    QCOMPARE(error_words(last_printed_traceback(console)).text(), std::string("KeyError: 'x' at a.py:2"));
    console.clear();
    QVERIFY(last_printed_traceback(console).empty());
    // Letter by letter, behind much else; of two tracebacks the last one.
    std::string all(100'000, '.');
    all += "\n" + std::string(kPrinted) + "\nTraceback (most recent call last):\n  File \"/run/b.py\", line 4, in g\n"
           "    h()\nTypeError: no\n" + std::string(300, '-') + "\n";
    for (const char letter : all) {
      session::ConsoleRecord& c = console.emplace_back();
      c.stream = session::ConsoleStream::kStderr;
      c.text = letter;
    }
    QCOMPARE(error_words(last_printed_traceback(console)).place(), std::string("b.py:4"));
  }
};

QTEST_APPLESS_MAIN(TestRunEnd)
#include "test_run_end.moc"
