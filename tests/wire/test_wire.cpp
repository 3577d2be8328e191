// Numbers, messages, frames of records and fields of CSV, as they are written and as strangers write them.
#include "engine/wire/csv.h"
#include "engine/wire/protobuf.h"
#include "engine/wire/tfrecord.h"

#include <QTest>

#include <random>
#include <vector>

using namespace footlight::wire;

namespace {

// The fields of a row, or how it is wrong.
std::vector<std::string> fields_of(std::vector<std::string> lines, bool has_quotes = true) {
  std::vector<std::string> fields;
  std::string line = lines[0];
  size_t next = 1;
  for (size_t at = 0;; ++at) {
    fields.emplace_back();
    const CsvField how = take_csv_field(line, at, ',', has_quotes, fields.back(), [&] {
      if (next < lines.size()) line = lines[next];
      return next++ < lines.size();
    });
    if (how != CsvField::kGood) return {"wrong", std::to_string(static_cast<int>(how))};
    if (at >= line.size()) return fields;
  }
}

std::string csv_of(std::string_view text) {
  std::string row;
  put_csv_text(row, text);
  return row;
}

}  // namespace

class TestWire : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void varints() {
    for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, uint64_t{300}, uint64_t{1} << 56,
                                  uint64_t{1} << 63, UINT64_MAX}) {
      std::string bytes;
      put_varint(bytes, number);
      QVERIFY(bytes.size() <= kMaxVarint);
      std::string_view rest = bytes;
      uint64_t read = 1;
      QVERIFY(take_varint(rest, read) && rest.empty());
      QCOMPARE(read, number);
      for (size_t cut = 0; cut < bytes.size(); ++cut) {
        rest = std::string_view(bytes).substr(0, cut);
        QVERIFY(!take_varint(rest, read));
        QCOMPARE(rest.size(), cut);  // nothing is taken
      }
    }
    uint64_t read = 0;
    std::string_view rest = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f!";  // bits above 64 are dropped
    QVERIFY(take_varint(rest, read) && rest == "!");
    QCOMPARE(read, UINT64_MAX);
    rest = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    QVERIFY(!take_varint(rest, read));
  }

  void messages() {
    ProtobufWriter inner, out;
    inner.number(1, 150);
    out.message(2, inner);
    out.real(3, 1.5);
    out.bytes(4, "text");
    ProtobufReader in(out.text());
    QVERIFY(in.next() && in.field == 2 && in.type == kBytes && in.bytes == "\x08\x96\x01");
    QVERIFY(in.next() && in.field == 3 && in.type == kFixed64 && fixed_at<double>(in.bytes.data()) == 1.5);
    QVERIFY(in.next() && in.field == 4 && in.bytes == "text");
    QVERIFY(!in.next() && in.ok());
    using namespace std::string_view_literals;
    // No field 0; a group; a length over the end; a number that is cut off.
    for (const std::string_view bytes : {"\0\1"sv, "\x0b"sv, "\x12\x05" "abc"sv, "\x08\x80"sv, "\x0d\1\1"sv}) {
      ProtobufReader bad(bytes);
      QVERIFY(!bad.next() && !bad.ok());
    }
    std::mt19937 random(3);
    for (int round = 0; round < 3000; ++round) {
      std::string bytes = out.text();
      for (int changes = 0; changes < 3; ++changes) bytes[random() % bytes.size()] = static_cast<char>(random());
      ProtobufReader any(bytes);
      while (any.next())
        QVERIFY(any.type == kVarint || (any.bytes.data() >= bytes.data() &&
                                        any.bytes.data() + any.bytes.size() <= bytes.data() + bytes.size()));
    }
  }

  void records() {
    std::string out = "before";
    put_record(out, "record");
    const std::string frame = out.substr(6);
    QCOMPARE(frame.size(), kRecordHead + 6 + kRecordTail);
    QCOMPARE(record_size(frame.data()).value_or(0), uint64_t{6});
    QVERIFY(is_record("record", frame.data() + kRecordHead + 6));
    QVERIFY(!is_record("Record", frame.data() + kRecordHead + 6));
    for (size_t i = 0; i < kRecordHead; ++i) {
      std::string other = frame;
      other[i] ^= 1;
      QVERIFY(!record_size(other.data()));
    }
  }

  void reading_csv() {
    using Fields = std::vector<std::string>;
    QCOMPARE(fields_of({"a,,\"b,\"\"c\"\"\",d"}), (Fields{"a", "", "b,\"c\"", "d"}));
    QCOMPARE(fields_of({"\"a", "", "b\",c"}), (Fields{"a\n\nb", "c"}));
    QCOMPARE(fields_of({"\"a", "b"}), (Fields{"wrong", "1"}));
    QCOMPARE(fields_of({"\"a\"b,c"}), (Fields{"wrong", "2"}));
    QCOMPARE(fields_of({"a\"b,c"}), (Fields{"wrong", "3"}));
    QCOMPARE(fields_of({"a\"b,\"c\""}, false), (Fields{"a\"b", "\"c\""}));
  }

  void writing_csv() {
    QCOMPARE(csv_of("plain text"), std::string("plain text"));
    QCOMPARE(csv_of("a,\"b\"\n"), std::string("\"a,\"\"b\"\"\n\""));
    QCOMPARE(csv_of("=1+2"), std::string("\"'=1+2\""));
    QCOMPARE(csv_of("-1.5e3"), std::string("-1.5e3"));
    QCOMPARE(csv_of("+-1"), std::string("\"'+-1\""));
    QCOMPARE(csv_of("@x"), std::string("\"'@x\""));
  }
};

QTEST_APPLESS_MAIN(TestWire)
#include "test_wire.moc"
