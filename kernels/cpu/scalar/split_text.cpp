// Kernels that split and join strings.
#include "kernels/cpu/scalar/encodings.h"
#include "kernels/cpu/register.h"

#include "engine/base/text.h"

#include <algorithm>

namespace footlight::FL_ISA {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Python's str.split(sep, maxsplit); an empty separator: any run of blanks.
void split_words(std::string_view text, const std::string& sep, int64_t most, std::vector<std::string_view>& out) {
  if (!sep.empty()) {
    for (int64_t n = 0; most < 0 || n < most; ++n) {
      const size_t at = text.find(sep);
      if (at == text.npos) break;
      out.push_back(text.substr(0, at));
      text.remove_prefix(at + sep.size());
    }
    out.push_back(text);
    return;
  }
  for (int64_t n = 0;; ++n) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    if (text.empty()) return;
    if (most >= 0 && n == most) {
      out.push_back(text);
      return;
    }
    const size_t end = static_cast<size_t>(std::ranges::find_if(text, is_blank) - text.begin());
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

void split_bytes(std::string_view text, const std::string& any_of, bool skip_empty,
                 std::vector<std::string_view>& out) {
  if (any_of.empty()) {
    for (size_t i = 0; i < text.size(); ++i) out.push_back(text.substr(i, 1));
    return;
  }
  for (;;) {
    const size_t at = text.find_first_of(any_of);
    const std::string_view part = text.substr(0, at);
    if (!part.empty() || !skip_empty) out.push_back(part);
    if (at == text.npos) return;
    text.remove_prefix(at + 1);
  }
}

// Writes the parts of each row as a sparse tensor.
template <class Split>
void put_parts(KernelContext& c, Split&& split) {
  const int64_t rows = c.inputs[0].elements();
  std::vector<std::string_view> parts;
  std::vector<size_t> ends;
  size_t widest = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const size_t before = parts.size();
    split(c.in<std::string>(0)[i], parts);
    ends.push_back(parts.size());
    widest = std::max(widest, parts.size() - before);
  }
  const auto count = static_cast<int64_t>(parts.size());
  auto* places = c.set_output(0, DType::kInt64, Shape{count, 2}).data<int64_t>();
  std::copy(parts.begin(), parts.end(), c.set_output(1, DType::kString, Shape{count}).data<std::string>());
  size_t at = 0;
  for (size_t row = 0; row < ends.size(); ++row)
    for (const size_t first = at; at < ends[row]; ++at) {
      *places++ = static_cast<int64_t>(row);
      *places++ = static_cast<int64_t>(at - first);
    }
  auto* shape = c.set_output(2, DType::kInt64, Shape{2}).data<int64_t>();
  shape[0] = rows;
  shape[1] = static_cast<int64_t>(widest);
}

void string_split(KernelContext& c) {
  const int64_t most = c.attrs.get_or("maxsplit"_attr, int64_t{-1});
  const std::string sep = *c.in<std::string>(1);
  put_parts(c, [&](std::string_view text, auto& out) { split_words(text, sep, most, out); });
}

void string_split_any(KernelContext& c) {
  const bool skip = c.attrs.get_or("skip_empty"_attr, true);
  const std::string any_of = *c.in<std::string>(1);
  put_parts(c, [&](std::string_view text, auto& out) { split_bytes(text, any_of, skip, out); });
}

int64_t split_at(const Tensor& splits, int64_t i) {
  return splits.dtype() == DType::kInt64 ? splits.data<int64_t>()[i] : splits.data<int32_t>()[i];
}
void put_split(const Tensor& splits, int64_t i, int64_t value) {
  if (splits.dtype() == DType::kInt64)
    splits.data<int64_t>()[i] = value;
  else
    splits.data<int32_t>()[i] = static_cast<int32_t>(value);
}

// Checks that splits begin with 0, do not decrease, and end with the number of values.
void check_splits(const Tensor& splits, int64_t values, const char* name, const char* op) {
  const int64_t count = splits.elements();
  if (count == 0) return;
  if (split_at(splits, 0) != 0)
    invalid("First value in ", name, " must be zero, got ", split_at(splits, 0), " [Op:", op, "]");
  for (int64_t i = 1; i < count; ++i)
    if (split_at(splits, i) < split_at(splits, i - 1) || split_at(splits, i) > values)
      invalid("Invalid split value ", split_at(splits, i), ", must be in [", split_at(splits, i - 1), ", ", values,
              "] [Op:", op, "]");
  if (split_at(splits, count - 1) != values)
    invalid("Last value in ", name, " must be equal to the number of values: got ", split_at(splits, count - 1),
            " and ", values, " [Op:", op, "]");
}

struct NGrams {
  std::string separator, left, right;
  int64_t pad;
  int64_t padding(int64_t width) const { return std::min(pad < 0 ? width - 1 : pad, width - 1); }
  int64_t count(int64_t length, int64_t width) const {
    return std::max<int64_t>(0, length + 2 * padding(width) - width + 1);
  }
  void add(const std::string* data, int64_t many, int64_t width, std::vector<std::string>& out) const {
    for (int64_t n = 0; n < many; ++n) {
      const int64_t before = std::max<int64_t>(0, padding(width) - n);
      const int64_t after = std::max<int64_t>(0, padding(width) - (many - (n + 1)));
      const int64_t tokens = width - (before + after), start = before > 0 ? 0 : n - padding(width);
      std::string joined;
      bool first = true;
      const auto put = [&](const std::string& part) {
        if (!first) joined += separator;
        first = false;
        joined += part;
      };
      for (int64_t k = 0; k < before; ++k) put(left);
      for (int64_t k = 0; k < tokens; ++k) put(data[start + k]);
      for (int64_t k = 0; k < after; ++k) put(right);
      out.push_back(std::move(joined));
    }
  }
};

void ngrams(KernelContext& c) {
  const NGrams how{c.attrs.get_or("separator"_attr, std::string()), c.attrs.get_or("left_pad"_attr, std::string()),
                   c.attrs.get_or("right_pad"_attr, std::string()), c.attrs.get_or("pad_width"_attr, int64_t{0})};
  constexpr int64_t kWidest = 1 << 20;
  const auto widths = c.attrs.get_or("ngram_widths"_attr, std::vector<int64_t>());
  for (const int64_t width : widths)
    if (width < 1 || width > kWidest)
      invalid("ngram_widths must contain positive values of at most ", kWidest, " [Op:StringNGrams]");
  if (how.pad > kWidest) invalid("Pad width could be too large, got ", how.pad, " [Op:StringNGrams]");
  const bool keep_short = c.attrs.get_or("preserve_short_sequences"_attr, false);
  const Tensor& splits = c.inputs[1];
  check_splits(splits, c.inputs[0].elements(), "data_splits", "StringNGrams");
  Tensor out_splits = c.set_output(1, splits.dtype(), splits.shape());
  std::vector<std::string> out;
  if (splits.elements()) put_split(out_splits, 0, 0);
  for (int64_t row = 0; row + 1 < splits.elements(); ++row) {
    const std::string* data = c.in<std::string>(0) + split_at(splits, row);
    const int64_t length = split_at(splits, row + 1) - split_at(splits, row);
    const size_t before = out.size();
    for (const int64_t width : widths) how.add(data, how.count(length, width), width, out);
    if (keep_short && out.size() == before && length > 0)
      how.add(data, 1, length + 2 * std::max<int64_t>(how.pad, 0), out);
    put_split(out_splits, row + 1, static_cast<int64_t>(out.size()));
  }
  Tensor& joined = c.set_output(0, DType::kString, Shape{static_cast<int64_t>(out.size())});
  std::ranges::move(out, joined.data<std::string>());
}

class CharacterReader {
 public:
  explicit CharacterReader(KernelContext& c) : op_(c.row.name) {
    const std::string name = c.attrs.get_or("input_encoding"_attr, std::string("UTF-8"));
    if (!encoding_of(name, encoding_))
      invalid("Could not create converter for input encoding: ", name, " [Op:", op_, "]");
    control_ = c.attrs.get_or("replace_control_characters"_attr, false);
    read_errors(c);
  }
  // Calls put(code, start) for each code point.
  template <class Put>
  void read(const std::string& text, Put&& put) const {
    each_code(text, encoding_, [&](uint32_t code, size_t start, bool valid) {
      if (valid && !(control_ && code < 0x20)) return put(code, start);
      if (errors_ == "strict") invalid("Invalid formatting on input string [Op:", op_, "]");
      if (errors_ == "replace") put(replacement_, start);
    });
  }

 private:
  void read_errors(KernelContext& c) {
    errors_ = c.attrs.get_or("errors"_attr, std::string("replace"));
    replacement_ = static_cast<uint32_t>(c.attrs.get_or("replacement_char"_attr, int64_t{65533}));
  }
  const char* const op_;
  Encoding encoding_ = Encoding::kUtf8;
  std::string errors_;
  uint32_t replacement_ = 0;
  bool control_ = false;
};

Encoding output_encoding(KernelContext& c) {
  const std::string name = c.attrs.get_or("output_encoding"_attr, std::string("UTF-8"));
  Encoding encoding;
  if (name != "UTF-8" && name != "UTF-16-BE" && name != "UTF-32-BE")
    invalid("Value for attr 'output_encoding' of \"", name,
            "\" is not in the list of allowed values: \"UTF-8\", \"UTF-16-BE\", "
            "\"UTF-32-BE\" [Op:",
            c.row.name, "]");
  encoding_of(name, encoding);
  return encoding;
}

template <bool offsets>
void unicode_decode(KernelContext& c) {
  const CharacterReader reading(c);
  const int64_t rows = c.inputs[0].elements();
  std::vector<int32_t> codes;
  std::vector<int64_t> starts;
  const Tensor& splits = c.set_output(0, c.attrs.get_or("Tsplits"_attr, DType::kInt64), Shape{rows + 1});
  put_split(splits, 0, 0);
  for (int64_t i = 0; i < rows; ++i) {
    reading.read(c.in<std::string>(0)[i], [&](uint32_t code, size_t start) {
      codes.push_back(static_cast<int32_t>(code));
      if (offsets) starts.push_back(static_cast<int64_t>(start));
    });
    put_split(splits, i + 1, static_cast<int64_t>(codes.size()));
  }
  const Shape shape{static_cast<int64_t>(codes.size())};
  std::ranges::copy(codes, c.set_output(1, DType::kInt32, shape).data<int32_t>());
  if (offsets) std::ranges::copy(starts, c.set_output(2, DType::kInt64, shape).data<int64_t>());
}

void unicode_encode(KernelContext& c) {
  const std::string errors = c.attrs.get_or("errors"_attr, std::string("replace"));
  const auto replacement = static_cast<uint32_t>(c.attrs.get_or("replacement_char"_attr, int64_t{65533}));
  const Encoding encoding = output_encoding(c);
  const Tensor& splits = c.inputs[1];
  const int64_t count = splits.elements();
  if (count == 0) invalid("input_splits must have at least one element [Op:UnicodeEncode]");
  check_splits(splits, c.inputs[0].elements(), "input_splits", "UnicodeEncode");
  Tensor& out = c.set_output(0, DType::kString, Shape{count - 1});
  for (int64_t row = 0; row + 1 < count; ++row) {
    std::string text;
    for (int64_t k = split_at(splits, row); k < split_at(splits, row + 1); ++k) {
      const auto code = static_cast<uint32_t>(c.in<int32_t>(0)[k]);
      if (put_code(text, code, encoding)) continue;
      if (errors == "strict")
        invalid("Code point is out of range for Unicode, or a noncharacter. [Op:UnicodeEncode]");
      if (errors == "replace") put_code(text, replacement, encoding);
    }
    out.data<std::string>()[row] = std::move(text);
  }
}

void unicode_transcode(KernelContext& c) {
  const CharacterReader reading(c);
  const Encoding encoding = output_encoding(c);
  for (int64_t i = 0; i < c.inputs[0].elements(); ++i) {
    std::string text;
    reading.read(c.in<std::string>(0)[i], [&](uint32_t code, size_t) { put_code(text, code, encoding); });
    c.out<std::string>()[i] = std::move(text);
  }
}

void segment_join(KernelContext& c) {
  const std::string separator = c.attrs.get_or("separator"_attr, std::string());
  const Tensor& ids = c.inputs[1];
  const int64_t segments = split_at(c.inputs[2], 0), rows = ids.elements();
  if (segments < 0)
    invalid("Number of segments must be non-negative but got ", segments, " [Op:UnsortedSegmentJoin]");
  Shape shape{segments};
  for (int d = ids.shape().rank(); d < c.inputs[0].shape().rank(); ++d) shape.append(c.inputs[0].shape()[d]);
  const int64_t width = rows ? c.inputs[0].elements() / rows : 0;
  Tensor& out = c.set_output(0, DType::kString, shape);
  std::vector<bool> begun(static_cast<size_t>(segments), false);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t id = split_at(ids, row);
    if (id < 0 || id >= segments)
      invalid("segment_ids[", row, "] = ", id, " is out of range [0, ", segments, ") [Op:UnsortedSegmentJoin]");
    for (int64_t k = 0; k < width; ++k) {
      std::string& text = out.data<std::string>()[id * width + k];
      if (begun[static_cast<size_t>(id)]) text += separator;
      text += c.in<std::string>(0)[row * width + k];
    }
    begun[static_cast<size_t>(id)] = true;
  }
}

}  // namespace

FL_CPU_KERNELS {
  on_cpu("StringSplitV2", kAllTypes, string_split);
  on_cpu("StringSplit", kAllTypes, string_split_any);
  on_cpu("StringNGrams", kAllTypes, ngrams);
  on_cpu("UnicodeDecode", kAllTypes, unicode_decode<false>);
  on_cpu("UnicodeDecodeWithOffsets", kAllTypes, unicode_decode<true>);
  on_cpu("UnicodeEncode", kAllTypes, unicode_encode);
  on_cpu("UnicodeTranscode", kAllTypes, unicode_transcode);
  on_cpu("UnsortedSegmentJoin", kAllTypes, segment_join);
}

}  // namespace footlight::FL_ISA
