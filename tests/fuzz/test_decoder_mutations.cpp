// Replays the fuzz target for decoders without a fuzzer: recorded images and small messages, and a fixed number of
// mutations of each.
#include "engine/base/errors.h"
#include "kernels/cpu/scalar/image_files.h"
#include "kernels/cpu/scalar/parse_tensor.h"
#include "tests/fuzz/decoder_input.h"

#include <QtTest>

#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <vector>

#include <zlib.h>

using namespace footlight;

namespace {

// The contents of all files in the recorded cases.
std::set<std::string> recorded_files() {
  std::ifstream file(std::string(GOLDEN "/ops/image_files.jsonl"), std::ios::binary);
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str(), mark = "\"b64\":\"";
  std::set<std::string> found;
  for (size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    at += mark.size();
    const std::string coded = text.substr(at, text.find('"', at) - at);
    found.insert(QByteArray::fromBase64(QByteArray::fromStdString(coded)).toStdString());
  }
  return found;
}

std::string compressed(const std::string& text, bool as_gzip) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, as_gzip ? 16 + MAX_WBITS : MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// "jpeg" with options: the first two bytes of an input.
std::string head(std::string_view form, char options) {
  const auto* at = std::find(std::begin(fuzz::kDecoderForms), std::end(fuzz::kDecoderForms), form);
  return {static_cast<char>(at - std::begin(fuzz::kDecoderForms)), options};
}

std::vector<std::string> inputs() {
  std::vector<std::string> made;
  for (const std::string& file : recorded_files()) {
    const char* form = image_files::is_jpeg(file)  ? "jpeg"
                       : image_files::is_png(file) ? "png"
                       : image_files::is_gif(file) ? "gif"
                       : image_files::is_bmp(file) ? "bmp"
                                                   : nullptr;
    if (form) made.push_back(head(form, 0) + file);
  }
  using namespace std::string_literals;
  made.push_back(head("tensor", 0) + "\x08\x01\x12\x08\x12\x02\x08\x02\x12\x02\x08\x03\x22\x18"s +
                 std::string(24, 'x'));
  made.push_back(head("tensor", 1) + "\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01x\x42\x02xy"s);
  made.push_back(head("tensor", 3) + "\x08\x09\x12\x04\x12\x02\x08\x04\x50\x07"s);
  const std::string text = compressed(std::string(2000, 'a') + "once", true);
  made.push_back(head("gzip", 0) + text + compressed("twice", true));
  made.push_back(head("zlib", 0) + compressed("one that is short", false));
  return made;
}

}  // namespace

class TestDecoderMutations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void files_and_mutations_never_crash() {
    std::mt19937 random(7);
    const auto below = [&](size_t n) { return n ? random() % n : 0; };
    std::set<char> forms;
    size_t decoded = 0, whole = 0;
    const std::vector<std::string> seeds = inputs();
    for (const std::string& seed : seeds) {
      forms.insert(seed[0]);
      whole += fuzz::decode_input(seed);
      for (int i = 0; i < 300; ++i) {
        std::string changed = seed;
        if (below(4) == 0) changed[1] = static_cast<char>(random());
        for (size_t times = 1 + below(3); times > 0 && changed.size() > 3; --times) {
          const size_t at = 2 + below(changed.size() - 2);
          const size_t length = 1 + below(std::min<size_t>(changed.size() - at, 20));
          switch (below(5)) {
            case 0: changed[at] = static_cast<char>(random()); break;
            case 1: changed.erase(at, length); break;
            case 2: changed.insert(at, changed.substr(at, length)); break;
            case 3: changed.resize(at); break;
            default: changed[at] = static_cast<char>(changed[at] ^ 1 << below(8)); break;
          }
        }
        decoded += fuzz::decode_input(changed);
      }
    }
    QCOMPARE(forms.size(), std::size(fuzz::kDecoderForms));
    QVERIFY(whole * 3 > seeds.size() * 2);  // recorded refusals are among them
    QVERIFY(decoded > seeds.size() * 20);
  }

  // Twelve bytes that stand for 512 million numbers, and a header alone that claims a picture of 65,000 x 65,000.
  void claims_are_refused_before_memory_is_taken() {
    using namespace std::string_literals;
    QVERIFY_THROWS_EXCEPTION(Error, tensor_proto::parse("\x08\x01\x12\x08\x12\x06\x08\x80\x80\x80\x80\x02"s,
                                                        DType::kFloat32));
    const std::string bmp = "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\xe8\xfd\0\0\xe8\xfd\0\0\x01\0\x18\0"s +
                            std::string(24, '\0');
    QVERIFY(!fuzz::decode_input(head("bmp", 0) + bmp));
  }
};

QTEST_GUILESS_MAIN(TestDecoderMutations)
#include "test_decoder_mutations.moc"
