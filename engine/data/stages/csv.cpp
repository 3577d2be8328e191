// Source: rows of CSV files (RFC 4180), one tensor per column.
#include "engine/data/input_file.h"
#include "engine/data/stage_registry.h"
#include "engine/wire/csv.h"

#include <algorithm>
#include <charconv>

namespace footlight::data {
namespace {

using wire::CsvField;

struct CsvOptions {
  Compression compression;
  size_t buffer;
  bool header;
  char delimiter;
  bool quotes;
  std::string missing;
  std::vector<int64_t> selected, excluded;
  Element defaults;  // an empty vector: the column is required
};

class Csv final : public Stage {
 public:
  Csv(std::vector<std::string> paths, CsvOptions options) : paths_(std::move(paths)), options_(std::move(options)) {}
  CursorPtr open(const Start& start) override { return std::make_unique<Rows>(StagePtr(this), *this, start.run); }

 private:
  class Rows final : public Cursor {
   public:
    Rows(StagePtr held, const Csv& stage, RunPtr run) : held_(std::move(held)), stage_(stage), run_(std::move(run)) {}
    bool next(Element& out) override {
      for (;;) {
        run_->check();
        if (!file_) {
          if (at_ == stage_.paths_.size()) return false;
          open_next();
        }
        if (!row()) {
          file_.reset();
          continue;
        }
        ++count_;
        stage_.convert(fields_, file_->path(), out);
        return true;
      }
    }
    void state(State& s) override {
      s.of("csv");
      uint64_t count = count_;
      if (!s.in_files(at_, stage_.paths_.size(), count, file_ != nullptr)) return;
      --at_;
      open_next();
      for (count_ = 0; count_ < count; ++count_)
        if (!row()) State::wrong();
    }

   private:
    void open_next() {
      const CsvOptions& o = stage_.options_;
      file_ = std::make_unique<InputFile>(stage_.paths_[at_++], o.compression, o.buffer);
      count_ = 0;
      if (o.header && !row()) invalid("Can't read header of file ", file_->path());
    }
    // Reads the fields of the next row; a quoted field may span several lines.
    bool row() {
      const CsvOptions& o = stage_.options_;
      std::string line;
      if (!file_->line(line)) return false;
      fields_.clear();
      size_t at = 0;
      for (;;) {
        std::string field;
        const CsvField how =
            wire::take_csv_field(line, at, o.delimiter, o.quotes, field, [&] { return file_->line(line); });
        if (how == CsvField::kUnclosed)
          invalid("Reached end of file without closing quoted field in record [", file_->path(), "]");
        if (how == CsvField::kLooseQuote)
          invalid("Quote inside a string has to be escaped by another quote [", file_->path(), "]");
        if (how == CsvField::kQuoteInside)
          invalid("Unquoted fields cannot have quotes inside [", file_->path(), "]");
        fields_.push_back(std::move(field));
        if (at >= line.size()) return true;
        ++at;  // the delimiter
        if (at == line.size()) {
          fields_.emplace_back();
          return true;
        }
      }
    }

    StagePtr held_;
    const Csv& stage_;
    RunPtr run_;
    std::unique_ptr<InputFile> file_;
    size_t at_ = 0;
    uint64_t count_ = 0;  // rows read from this file
    std::vector<std::string> fields_;
  };

  void convert(const std::vector<std::string>& fields, const std::string& path, Element& out) const {
    const CsvOptions& o = options_;
    std::vector<size_t> columns;
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto number = static_cast<int64_t>(i);
      const bool wanted = o.selected.empty() || std::ranges::find(o.selected, number) != o.selected.end();
      const bool excluded = std::ranges::find(o.excluded, number) != o.excluded.end();
      if (wanted && !excluded) columns.push_back(i);
    }
    if (columns.size() != types.size())
      invalid("Expect ", types.size(), " fields but have ", columns.size(), " in record of ", path);
    out.clear();
    for (size_t k = 0; k < columns.size(); ++k) out.push_back(value(fields[columns[k]], k));
  }

  Tensor value(const std::string& field, size_t k) const {
    const DType dtype = types[k];
    if (field.empty() || field == options_.missing) {
      const Tensor& otherwise = options_.defaults[k];
      if (otherwise.elements() == 0) invalid("Field ", k, " is required but missing in record!");
      return otherwise.reshaped(Shape());
    }
    switch (dtype) {
      case DType::kString: return Tensor::string(field);
      case DType::kInt32: return number<int32_t>(field, k);
      case DType::kInt64: return number<int64_t>(field, k);
      case DType::kFloat32: return number<float>(field, k);
      case DType::kFloat64: return number<double>(field, k);
      default: invalid("csv: data type ", name_of(dtype), " not supported in field ", k);
    }
  }

  template <class T>
  Tensor number(const std::string& field, size_t k) const {
    const char *begin = field.data(), *end = begin + field.size();
    while (begin < end && *begin == ' ') ++begin;
    while (end > begin && end[-1] == ' ') --end;
    if (begin < end && *begin == '+') ++begin;
    T found{};
    const auto [stopped, error] = std::from_chars(begin, end, found);
    if (error != std::errc() || stopped != end || begin == end)
      invalid("Field ", k, " in record is not a valid ", name_of(types[k]), ": ", field);
    return Tensor::scalar(found);
  }

  const std::vector<std::string> paths_;
  const CsvOptions options_;
};

std::vector<int64_t> integers(const Tensor& tensor) {
  return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.elements()};
}

const StageRegistration csv("CSVDatasetV2", [](const StageContext& m) -> Stage* {
  const size_t columns = m.list_size("output_types");
  const std::string delimiter = m.text(4);
  if (delimiter.size() != 1) invalid("field_delim should be only 1 char");
  const int64_t buffer = m.integer(2);
  if (buffer <= 0) invalid("buffer_size should be positive");
  const auto defaults = m.inputs(8, columns);
  CsvOptions options{compression_of(m.text(1)), static_cast<size_t>(buffer), m.flag(3), delimiter[0], m.flag(5),
                     m.text(6), integers(m.inputs()[7]), integers(m.inputs()[8 + columns]),
                     {defaults.begin(), defaults.end()}};
  if (!std::ranges::is_sorted(options.selected)) invalid("select_cols should be strictly increasing indices");
  return new Csv(m.texts(0), std::move(options));
});

}  // namespace
}  // namespace footlight::data
