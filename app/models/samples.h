// The samples that come with the program: what each shows, and copies that the user may change.
#pragma once

#include <QString>

#include <vector>

namespace footlight::app {

struct SampleScript {
  QString name;   // "shapes.py"
  QString title;  // "Shapes that change": the beginning of its comment
  QString about;  // the rest of that sentence
  QString text;
};

// Those in `folder`, by name.
std::vector<SampleScript> sample_scripts(const QString& folder);

// The user's folder of copies; FOOTLIGHT_EXAMPLES names another.
QString samples_folder();
// The path of the user's copy; it is made if there is none, or if `again`. Empty: it could not be written.
QString copy_of(const SampleScript& sample, bool again = false);
// Whether the user's copy differs from the sample.
bool is_changed(const SampleScript& sample);

}  // namespace footlight::app
