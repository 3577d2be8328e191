// Texts, without a window: numbers and durations in words, what is cut, tips, the search, the console's lines.
#include "tests/app/sample.h"

#include "app/models/console_model.h"
#include "app/models/finding_content.h"
#include "app/models/inspector.h"
#include "app/models/picture_place.h"
#include "app/models/search.h"
#include "app/models/selection.h"
#include "app/models/text.h"
#include "app/models/traces_model.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace footlight;
using namespace footlight::app;

class TextsTest : public QObject {
  Q_OBJECT

 private:
  const SampleRun run_ = sample_run();
  const Document& d_ = run_.document;

 private Q_SLOTS:
  void text() {
    QCOMPARE(duration_text(18'200), QStringLiteral("18.2 us"));
    QCOMPARE(duration_text(999), QStringLiteral("999 ns"));
    QCOMPARE(duration_text(4'200'000), QStringLiteral("4.20 ms"));
    QCOMPARE(duration_text(1'340'000'000), QStringLiteral("1.34 s"));
    QCOMPARE(duration_text(999'499), QStringLiteral("999 us"));
    QCOMPARE(duration_text(999'700), QStringLiteral("1.00 ms"));
    QCOMPARE(duration_text(-999'600'000), QStringLiteral("-1.00 s"));
    QCOMPARE(short_type(QStringLiteral("float32 (32, 16)")), QStringLiteral("f32[32,16]"));
    QCOMPARE(short_type(QStringLiteral("float32 (16,)")), QStringLiteral("f32[16]"));
    QCOMPARE(shape_only(QStringLiteral("float32 (32, None)")), QString::fromUtf8("32×?"));
    QCOMPARE(shape_only(QStringLiteral("bool ()")), QStringLiteral("scalar"));
    QCOMPARE(short_number(QStringLiteral("0.03333333333333333")), QString::fromUtf8("0.0333…"));
    QCOMPARE(short_number(QStringLiteral("0.025")), QStringLiteral("0.025"));
    QCOMPARE(short_number(QStringLiteral("a long string.")), QStringLiteral("a long string."));
    QCOMPARE(counted(1, "trace", "traces"), QStringLiteral("1 trace"));
    QCOMPARE(counted(4492, "event", "events"), QStringLiteral("4,492 events"));
  }

  void long_texts_are_cut_where_they_are_laid_out() {
    QCOMPARE(beginning_of(QStringLiteral("short")), QStringLiteral("short"));
    const QString whole(1'000'000, QLatin1Char('W'));
    QVERIFY(beginning_of(whole).startsWith(whole.left(kMaxShownText) + QChar(0x2026)));
    QVERIFY(beginning_of(whole).contains(QStringLiteral("996,000 more characters")));
    QCOMPARE(beginning_of(whole, kMaxShownCell), whole.left(kMaxShownCell) + QChar(0x2026));
    const QString pairs = QString::fromUcs4(U"\x1F600").repeated(10);
    QCOMPARE(beginning_of(pairs, 5), pairs.left(4) + QChar(0x2026));
    // A trace that failed with a text of this length: what is copied is whole, cells and leads are not.
    Document failed = d_;
    const auto trace = std::find_if(failed.traces.begin(), failed.traces.end(),
                                    [](const session::TraceRecord& t) { return t.id == TraceId(12); });
    trace->error = whole.toStdString();
    QVERIFY(reason_text(*trace).size() <= kMaxShownCell + 1);
    QVERIFY(as_markdown(inspect(failed, Selection::of_trace(failed, TraceId(12)), nullptr)).contains(whole));
    // So it is from the function, of whose traces the last ones that failed are shown.
    const auto of_function = [&] {
      return as_markdown(inspect(failed, Selection::of_function(failed, trace->function), nullptr));
    };
    QVERIFY(of_function().contains(whole));
    for (session::TraceRecord& t : failed.traces)
      if (t.function == trace->function && t.id != trace->id) t.error = "failed " + std::to_string(t.number);
    QVERIFY(of_function().contains(QStringLiteral("and 3 earlier ones")));
  }

  void what_is_copied_as_markdown_is_inert() {
    Document d = d_;
    for (session::FunctionRecord& f : d.functions) f.name = "f@everyone`";
    for (session::TraceRecord& t : d.traces) t.error = "see http://bad.example/ and `rm`";
    const QString copied = as_markdown(inspect(d, Selection::of_trace(d, TraceId(12)), nullptr));
    QVERIFY2(copied.startsWith(QStringLiteral("### Trace `#3`")), qPrintable(copied));
    QVERIFY2(copied.contains(QStringLiteral("- Function: `` f@everyone` ``")), qPrintable(copied));
    QVERIFY2(copied.contains(QStringLiteral("see `http://bad.example/` and \\`rm\\`")), qPrintable(copied));
    FindingContent finding;
    finding.card.title = QStringLiteral("<b> #12");
    finding.card.function = QStringLiteral("step");
    finding.about = QStringLiteral("[a](b)");
    finding.evidence.emplace_back();
    finding.evidence.back().name = QStringLiteral("values");
    finding.evidence.back().value = QStringLiteral("@all");
    FixContent fix;
    fix.path = QStringLiteral("a.py");
    fix.lines.push_back({EditLine::kSame, 1, QStringLiteral("```")});
    finding.fixes.push_back(fix);
    const QString said = as_markdown(finding, 0);
    QVERIFY2(said.startsWith(QStringLiteral("### \\<b\\> `#12`\n\n`step` \n\n\\[a\\](b)\n\n- values: `@all`\n")),
             qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("\n````diff\n")), qPrintable(said));
    QVERIFY2(said.endsWith(QStringLiteral("\n````\n")), qPrintable(said));
  }

  void pictures_replace_only_pictures_of_their_kind() {
    QTemporaryDir folder;
    const auto at = [&](const char* name) { return folder.filePath(QLatin1String(name)); };
    const auto put = [&](const char* name, const QByteArray& bytes) {
      QFile file(at(name));
      return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    };
    QVERIFY(put("script.py", "print(1)\n") && put("empty.png", "") && put("old.png", "\x89PNG\r\n\x1a\n") &&
            put("old.svg", "<?xml version=\"1.0\"?>") && put("old.dot", "digraph {}") && put("text.svg", "no picture"));
    write_sample_session(at("run.png"));
    QVERIFY(QFile::link(at("script.py"), at("link.png")) && QFile::link(at("old.png"), at("good.png")));
    for (const char* name : {"new.png", "empty.png", "old.png", "old.svg", "old.dot", "good.png"})
      QCOMPARE(why_not_saved(at(name)), QString());
    QVERIFY(why_not_saved(at("script.py")).contains(QStringLiteral("a file that is not a PNG picture")));
    QVERIFY(why_not_saved(at("text.svg")).contains(QStringLiteral("a file that is not an SVG picture")));
    QVERIFY(why_not_saved(at("link.png")).contains(QStringLiteral("a file that is not")));
    QVERIFY(why_not_saved(at("run.png")).contains(QStringLiteral("a recording")));
    QVERIFY(why_not_saved(folder.path()).contains(QStringLiteral("a folder")));
    QCOMPARE(kept_there(at("good.png")), QStringLiteral("a symbolic link"));
  }

  void tips_are_plain() {
    QCOMPARE(plain_tip(QStringLiteral("train_step · 6 traces\nmore")), QStringLiteral("train_step · 6 traces\nmore"));
    const QString bad = QStringLiteral("<img src=\"file:///dev/zero\">");
    QVERIFY(!plain_tip(bad).contains(QStringLiteral("<img")));
    QVERIFY(plain_tip(bad).contains(QStringLiteral("&lt;img")));
    QVERIFY(!plain_tip(QStringLiteral("&lt;img src=x&gt;")).contains(QStringLiteral("&lt;img src=x&gt;")));
  }

  void searching() {
    const QStringList commands{QStringLiteral("Run the script"), QStringLiteral("Stop")};
    auto hits = search(&d_, commands, GraphId(10), QStringLiteral("relu"));
    QVERIFY(!hits.empty());
    QCOMPARE(hits.front().kind, SearchHit::Kind::kNode);
    hits = search(&d_, commands, GraphId(10), QStringLiteral("train_step"));
    QCOMPARE(hits.front().kind, SearchHit::Kind::kFunction);
    hits = search(&d_, commands, GraphId(10), QStringLiteral("matmul f32[32,16]"));
    QCOMPARE(hits.front().text, QStringLiteral("MatMul"));
    hits = search(&d_, commands, GraphId(10), QStringLiteral(">stop"));
    QCOMPARE(hits.size(), size_t{1});
    QCOMPARE(hits.front().command, 1);
    QVERIFY(search(&d_, commands, GraphId(10), QStringLiteral("nothing is called so")).empty());
    QVERIFY(!search(nullptr, commands, {}, QString()).empty());
    // A line of the console, of the many in one record.
    Document printed;
    printed.console.push_back({1, session::ConsoleStream::kStdout, "first of it\nthen it failed\nlast of it\n"});
    hits = search(&printed, {}, {}, QStringLiteral("it failed"));
    QCOMPARE(hits.size(), size_t{1});
    QCOMPARE(hits.front().kind, SearchHit::Kind::kConsole);
    QCOMPARE(hits.front().text, QStringLiteral("then it failed"));
    // A line of the program comes before any number of a library's.
    Document sources;
    std::string library;
    for (int i = 0; i < 100; ++i) library += "loss = None\n";
    sources.add(session::FileRecord{session::FileId(0), "/usr/lib/site-packages/keras/loss.py", library});
    sources.add(session::FileRecord{session::FileId(1), "/home/me/fit.py", "import keras\ndef my_loss(x):\n"});
    hits = search(&sources, {}, {}, QStringLiteral("loss"));
    QCOMPARE(hits.front().text, QStringLiteral("def my_loss(x):"));
  }

  void console_lines() {
    Document d;
    d.console.push_back({1, session::ConsoleStream::kStdout, "one\ntw"});
    ConsoleLines lines;
    lines.take(d);
    d.console.push_back({2, session::ConsoleStream::kStderr, "  File \"/a/b.py\", line 12, in f\n"});
    d.console.push_back({3, session::ConsoleStream::kStdout, "o\n\x1b[31mred\x1b[0m\n"});
    QCOMPARE(lines.take(d), size_t{1});  // which goes on
    QCOMPARE(lines.size(), size_t{4});
    QCOMPARE(lines.text(d, 1), QStringLiteral("two"));
    const ConsoleLine error = lines.line(d, 2);
    QCOMPARE(error.stream, session::ConsoleStream::kStderr);
    QCOMPARE(error.links.size(), size_t{1});
    QCOMPARE(error.links[0].path, QStringLiteral("/a/b.py"));
    QCOMPARE(error.links[0].line, 12);
    QCOMPARE(lines.text(d, 3), QStringLiteral("red"));
    QCOMPARE(find_links(QStringLiteral("at model.py:7: bad"))[0].line, 7);
    QVERIFY(find_links(QStringLiteral("x.py: no number")).empty());
  }

  void console_lines_of_every_form() {
    Document d;
    d.run.started_ns = 1'000'000'000;
    using Stream = session::ConsoleStream;
    d.console.push_back({2'500'000'000, Stream::kStdout, "\n\nlast \xC3"});
    d.console.push_back({2'600'000'000, Stream::kTfPrint, "between\n"});
    d.console.push_back({2'700'000'000, Stream::kStdout, "\xA9"});
    d.console.push_back({2'800'000'000, Stream::kNote, ""});
    d.console.push_back({2'900'000'000, Stream::kNote, "a\nb"});
    d.console.push_back({3'000'000'000, Stream::kStdout, "\nend"});
    ConsoleLines lines;
    while (!lines.complete(d)) lines.take(d, 1);  // in the smallest steps
    QStringList texts;
    for (size_t i = 0; i < lines.size(); ++i) texts << lines.text(d, i);
    QCOMPARE(texts, (QStringList{QString(), QString(), QStringLiteral("last \u00e9"), QStringLiteral("between"),
                                 QString(), QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("end")}));
    QCOMPARE(lines.line(d, 2).stamp, QStringLiteral("1.50"));
    lines.note(QStringLiteral("from the window"));
    d.console.push_back({3'100'000'000, Stream::kStdout, " of it\n"});
    QCOMPARE(lines.take(d), size_t{7});
    QCOMPARE(lines.text(d, 7), QStringLiteral("end of it"));
    QCOMPARE(lines.text(d, 8), QStringLiteral("from the window"));
    QCOMPARE(lines.stream(d, 8), Stream::kNote);
    QCOMPARE(lines.text(Document(), 7), QString());  // another document has none of it
  }

  // A progress bar may go on for hours in one line, of which only the beginning is shown.
  void one_line_in_many_records() {
    Document d;
    for (int i = 0; i < 200'000; ++i) d.console.push_back({i, session::ConsoleStream::kStderr, "\r=======>"});
    ConsoleLines lines;
    lines.take(d);
    QCOMPARE(lines.size(), size_t{1});
    QCOMPARE(lines.text(d, 0).size(), qsizetype{4000});
  }

  // A copy has what was there; each goes on for itself.
  void console_logs_are_copied() {
    ConsoleLog log;
    log.push_back({1, session::ConsoleStream::kStdout, "one"});
    ConsoleLog copy = log;
    log.push_back({2, session::ConsoleStream::kStdout, "two"});
    copy.push_back({3, session::ConsoleStream::kStderr, std::string(3'000'000, 'x')});
    QCOMPARE(log.size(), size_t{2});
    QVERIFY(log[0].text == "one" && log[1].text == "two" && copy[0].text == "one");
    QCOMPARE(copy[1].text.size(), size_t{3'000'000});
    const ConsoleLog moved = std::move(log);
    QVERIFY(moved[1].text == "two");
    copy.clear();
    QVERIFY(copy.empty());
    QCOMPARE(copy.bytes(), size_t{0});
  }
};

QTEST_GUILESS_MAIN(TextsTest)
#include "test_texts.moc"
