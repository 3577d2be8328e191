// Words and numbers as the window shows them: durations, byte counts, signatures, file names.
#pragma once

#include <QString>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace footlight::app {

inline QString q(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString three_digits(double value);             // "1.34", "18.2", "412"
QString duration_text(int64_t ns);              // "18.2 us", "4.2 ms", "1.34 s"
QString bytes_text(uint64_t bytes);             // "2.0 KB"
QString count_text(uint64_t count);             // "4,492"
QString flops_text(uint64_t flops);             // "2.1 M"
QString share_text(int64_t part, int64_t whole); // "61 %", "<1 %"
QString rate_text(uint64_t flops, int64_t ns);  // "12.6": GFLOP/s
QString counted(uint64_t count, const char* one, const char* many);  // "1 trace", "12 traces"
QString capitalized(QString text);               // "Recorder"
QString short_type(const QString& output);      // "float32 (32, 16)" -> "f32[32,16]"
QString shape_only(const QString& output);      // "float32 (32, 16)" -> "32×16", "" for what has no shape
QString short_number(const QString& text);      // "0.03333333333333333" -> "0.0333…"; other text as it is
QString file_name(const std::string& path);     // last part
QString clock_text(int64_t ns);                 // "12:04:31"
// When a run was started: as its file's name says, which is known of unread ones, too; else as it recorded.
QString run_clock(const QString& path, int64_t started_ns);
// All tool tips use it, in models too: Qt takes a text that looks like HTML for HTML, and opens files for its images.
QString plain_tip(const QString& text);
// The beginning of a text that anybody may have written, as much as the window lays out in one place; Qt takes seconds
// for a line of a million characters. Says how much is left out, and where it is, if it is long enough for that.
constexpr qsizetype kMaxShownText = 4000, kMaxShownBanner = 1000, kMaxShownCell = 400;
QString beginning_of(const QString& text, qsizetype most = kMaxShownText);
// Markdown for copying: text of a session in a line, as words or as code, and lines between fences.
QString markdown_words(const QString& text, bool in_cell = false);
QString markdown_code(const QString& text);
QString markdown_block(const char* language, const QString& lines);
QString joined(const std::vector<std::string>& parts, const char* between);

}  // namespace footlight::app
