/// What a conversation is called until somebody renames it, or a model does.
#pragma once

#include <QString>

#include <string>
#include <vector>

#include "ingle/part.h"

namespace ingle::desktop {

/// The first line with text, cut at a word.
std::string titleFrom(const QString& text);

/// The title of a conversation that begins with this question: what is asked; else what is attached.
std::string titleFrom(const std::vector<Part>& question);

/// The title in what a model answered that was asked for one: without the marks and words around it. Empty:
/// there is none.
QString madeTitle(const QString& answer);

}  // namespace ingle::desktop
