// The samples that come with the program: what each shows, and copies that the user may change.
#pragma once

#include <QString>

#include <vector>

namespace footlight::app {

struct Sample {
  QString name;   // "shapes.py"
  QString title;  // "Shapes that change": the beginning of its comment
  QString about;  // the rest of that sentence
  QByteArray bytes;
  // A recording is opened; a script is prepared for a run.
  bool is_recording() const { return name.endsWith(QStringLiteral(".footlight")); }
};

// The scripts that come with the program, by name.
std::vector<Sample> sample_scripts();
// The scripts, then the recordings of machines that few people have.
std::vector<Sample> all_samples();

// The user's folder of copies; FOOTLIGHT_EXAMPLES names another.
QString samples_folder();
// The path of the user's copy; it is made when it is missing, or if `again`. Empty: it could not be written.
QString copy_of(const Sample& sample, bool again = false);
// Whether the user's copy differs from the sample.
bool is_changed(const Sample& sample);

}  // namespace footlight::app
