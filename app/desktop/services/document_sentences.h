/// What people are told when a document cannot be read.
#pragma once

#include <QString>

#include <string>

#include "ingle/result.h"

namespace ingle::desktop {

/// Whether it says what is wrong with a document; else the thing may be something else altogether.
bool isOfADocument(const Error& error);

/// "report.pdf: …"; for errors of which isOfADocument().
QString documentSentence(const std::string& path, const Error& error);

/// What a document is ("Word document"), in the window's language.
QString documentFormat(const std::string& format);

}  // namespace ingle::desktop
