// Files of checkpoints: checksums, tables, compressed blocks, what is refused and what an overwritten checkpoint holds.
#include "engine/base/crc32c.h"
#include "engine/base/snappy.h"
#include "engine/formats/bundle.h"
#include "engine/formats/file.h"
#include "engine/wire/varint.h"
#include "tests/base/thrown.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace footlight;
using namespace footlight::formats;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const std::string& table, const TableLimits& limits = {}) {
  Pairs pairs;
  read_table(table, "a file", [&](std::string_view k, std::string_view v) { pairs.emplace_back(k, v); }, limits);
  return pairs;
}

std::string written(const Pairs& pairs) {
  TableWriter writer;
  for (const auto& [key, value] : pairs) writer.add(key, value);
  return writer.finish();
}

// A table of one block with these bytes, which follow no rules.
std::string table_of(const std::string& block, char compression = 0) {
  std::string out;
  const auto place = [&](const std::string& bytes, char how) {
    std::string where;
    wire::put_varint(where, out.size());
    wire::put_varint(where, bytes.size());
    const std::string with = bytes + how;
    out += with;
    wire::put_fixed(out, masked_crc32c(crc32c(with)));
    return where;
  };
  const std::string data = place(block, compression);
  TableBlock meta(16), index(1);
  index.add("z", data);
  std::string footer = place(meta.finish(), 0);
  footer += place(index.finish(), 0);
  footer.resize(40);
  wire::put_fixed(footer, uint64_t{0xdb4775248b80fb57u});
  return out + footer;
}

std::string entry(size_t shared, const std::string& rest, const std::string& value) {
  std::string out;
  wire::put_varint(out, shared);
  wire::put_varint(out, rest.size());
  wire::put_varint(out, value.size());
  return out + rest + value;
}

const std::string kEnd("\0\0\0\0\1\0\0\0", 8);  // one restart, at the beginning

}  // namespace

class TestBundle : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void checksums() {
    QCOMPARE(crc32c("123456789"), 0xe3069283u);
    QCOMPARE(crc32c(std::string(32, '\0')), 0x8a9136aau);
    QCOMPARE(extend_crc32c(crc32c("1234"), "56789"), 0xe3069283u);
    for (uint32_t crc : {0u, 1u, 0xe3069283u, ~0u}) QCOMPARE(unmasked_crc32c(masked_crc32c(crc)), crc);
  }

  void tables_of_many_blocks() {
    Pairs pairs{{"", "header"}};
    for (int i = 10000; i < 19000; ++i)
      pairs.emplace_back("key/" + std::to_string(i) + std::string(static_cast<size_t>(i % 50), 'x'),
                         std::string(60, 'v'));
    const std::string table = written(pairs);
    QVERIFY(table.size() > 2 * 262144);
    QVERIFY(pairs_of(table) == pairs);
    QVERIFY(pairs_of(written({})).empty());
  }

  void compressed_blocks() {
    // A literal "abcd", then a copy of 12 bytes from 4 before: it overlaps itself.
    const std::string packed = std::string("\x10\x0c") + "abcd" + std::string("\x2e\x04\x00", 3);
    std::string out;
    QVERIFY(unpack_snappy(packed, 100, out));
    QCOMPARE(out, std::string("abcdabcdabcdabcd"));
    QVERIFY(!unpack_snappy(packed, 15, out));
    for (size_t size = 0; size < packed.size(); ++size) QVERIFY(!unpack_snappy(packed.substr(0, size), 100, out));
    QVERIFY(!unpack_snappy(std::string("\xff\xff\xff\xff\x0f\x00", 6), size_t{1} << 40, out));  // 4 GB from one byte
    std::string text;
    for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919 % 1013) + (i % 50 ? "" : std::string(100, 'x'));
    const std::string_view all = text;
    for (const std::string_view part : {all, all.substr(0, 3), all.substr(0, 0)}) {
      const std::string made = pack_snappy(part);
      QVERIFY(unpack_snappy(made, part.size(), out) && out == part);
    }
    QVERIFY(pack_snappy(text).size() < text.size() * 2 / 3);
    QVERIFY(!unpack_snappy(std::string("\x04\x05\x01\x0c", 4), 100, out));  // a copy of what is not there

    const std::string block = entry(0, "key", "value") + kEnd;
    std::string literal;
    wire::put_varint(literal, block.size());
    literal += static_cast<char>((block.size() - 1) << 2);
    QVERIFY(pairs_of(table_of(literal + block, 1)) == (Pairs{{"key", "value"}}));
    QVERIFY(says(message_thrown([&] { pairs_of(table_of(literal, 1)); }), "compressed block that is damaged"));
    QVERIFY(says(message_thrown([&] { pairs_of(table_of(block, 7)); }), "unknown way"));
  }

  void damaged_tables() {
    const auto error = [](const std::string& block) { return message_thrown([&] { pairs_of(table_of(block)); }); };
    QVERIFY(says(error(entry(0, "b", "") + entry(0, "a", "") + kEnd), "not sorted"));
    QVERIFY(says(error(entry(0, "b", "") + entry(1, "", "") + kEnd), "not sorted"));
    QVERIFY(says(error(entry(1, "b", "") + kEnd), "entry that is damaged"));
    QVERIFY(says(error(entry(0, "b", "") + "\1"), "block"));
    QVERIFY(says(error(entry(0, "b", "") + std::string("\xff\xff\xff\xff", 4)), "whose end is damaged"));
    QVERIFY(says(message_thrown([&] { pairs_of(std::string(100, 'x')); }), "not a table"));
    QVERIFY(says(message_thrown([&] { pairs_of(""); }), "not a table"));

    std::string growing;  // each key is the one before and a byte: a short block of long keys
    for (int i = 0; i < 1000; ++i) growing += entry(static_cast<size_t>(i), "a", "");
    TableLimits limits;
    limits.all_key_bytes = 10000;
    QVERIFY(says(message_thrown([&] { pairs_of(table_of(growing + kEnd), limits); }), "too long together"));
    limits = {};
    limits.key_bytes = 100;
    QVERIFY(says(message_thrown([&] { pairs_of(table_of(growing + kEnd), limits); }), "a key that is too long"));
  }

  void values_come_back() {
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("ck").toStdString();
    Tensor strings = Tensor::empty(DType::kString, {2});
    strings.data<std::string>()[1] = std::string("a\0b", 3);
    write_bundle(prefix, std::vector<NamedTensor>{{"b", Tensor::scalar(2.5)}, {"a", strings}});
    const auto file = open_bundle(prefix);
    QCOMPARE(file->entries().size(), size_t{2});
    QCOMPARE(file->entries()[0].name, std::string("a"));
    QCOMPARE(*file->read("b").data<double>(), 2.5);
    QCOMPARE(file->read("a").data<std::string>()[1], std::string("a\0b", 3));
    QVERIFY(!file->find("c"));
    QVERIFY(says(message_thrown([&] { file->read("c"); }), "Key c not found in checkpoint"));
    QVERIFY(says(message_thrown([&] {
                   write_bundle(prefix, std::vector<NamedTensor>{{"", strings}});
                 }),
                 "needs a name"));
    QVERIFY(says(message_thrown([&] {
                   write_bundle(prefix, std::vector<NamedTensor>{{"x", strings}, {"x", strings}});
                 }),
                 "given to two tensors"));
    QVERIFY(says(message_thrown([&] { write_bundle(folder.filePath("none/ck").toStdString(), {}); }), "cannot create"));
    QCOMPARE(*open_bundle(prefix)->read("b").data<double>(), 2.5);  // errors have left it alone
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
  }

  // Whichever files a killed program has left, the next one overwrites them and leaves the usual ones.
  void overwriting() {
    const QTemporaryDir folder;
    const std::string prefix = folder.filePath("ck").toStdString();
    const auto write = [&](float value) {
      write_bundle(prefix, std::vector<NamedTensor>{{"v", Tensor::scalar(value)}});
    };
    const auto value = [&] { return *open_bundle(prefix)->read("v").data<float>(); };
    write(1);
    const std::string usual = read_file(prefix + ".index", 1000);
    write(2);
    QCOMPARE(value(), 2.0f);
    QCOMPARE(shards_of(prefix), 1);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
    // Between the two renames of the index: it refers to 00001-of-00002.
    std::string index;
    {
      std::map<std::string, std::string> entries;
      read_table(read_file(prefix + ".index", 1000), "", [&](std::string_view k, std::string_view v) {
        entries.emplace(k, v);
      });
      entries[""].replace(entries[""].find("\x08\x01"), 2, "\x08\x02");   // two shards
      entries["v"].insert(entries["v"].find('\x28'), "\x18\x01");         // of which this is the second
      TableWriter writer;
      for (const auto& [k, v] : entries) writer.add(k, v);
      index = writer.finish();
    }
    rename_file(shard_name(prefix, 0, 1), shard_name(prefix, 1, 2));
    write_file(prefix + ".index", index);
    QCOMPARE(shards_of(prefix), 2);
    QCOMPARE(value(), 2.0f);
    write(3);
    QCOMPARE(value(), 3.0f);
    QCOMPARE(shards_of(prefix), 1);
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 2);
    write(1);
    QVERIFY(read_file(prefix + ".index", 1000) == usual);
    write_file(prefix + ".index", "nothing");
    QCOMPARE(shards_of(prefix), 0);
    write(4);
    QCOMPARE(value(), 4.0f);
  }
};

QTEST_GUILESS_MAIN(TestBundle)
#include "test_bundle.moc"
