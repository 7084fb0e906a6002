/// What a conversation is called until somebody renames it.
#pragma once

#include <QString>

#include <string>

namespace ingle::desktop {

/// The first line with text, cut at a word.
std::string titleFrom(const QString& text);

}  // namespace ingle::desktop
