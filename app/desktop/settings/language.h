/// The language of the window: the desktop's, or another that the person chose. That choice is a file of its
/// own in the data folder, since it is needed before the history is open. GUI thread.
#pragma once

#include <QString>
#include <QVariantList>

#include <string>

namespace ingle::desktop {

/// What was chosen: "de"; empty: the desktop's.
QString chosenLanguage(const std::string& dataDir);
/// Empty: the desktop's. False: it could not be written; it holds for this run.
bool chooseLanguage(const std::string& dataDir, const QString& language);
/// What there is, of each "value" and "name", in its own words; the desktop's comes first.
QVariantList languages();
/// From now on texts, numbers and dates are those of the chosen language.
void useLanguage(const QString& language);

}  // namespace ingle::desktop
