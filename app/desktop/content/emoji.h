/// Emoji in a text: which of its characters belong together and are one picture.
#pragma once

#include <QString>

#include <vector>

namespace ingle::desktop {

struct EmojiPlace {
    qsizetype begin = 0;  ///< UTF-16 units
    qsizetype length = 0;
};

/// The sequences that are shown as coloured pictures: with tones of skin, joined ones, flags, keycaps. What
/// is text by itself, like ©, is none unless it asks for its picture.
std::vector<EmojiPlace> emojiIn(const QString& text);

/// A font that has them in colours; empty: none is installed. By itself Qt takes each character from the
/// first font that has it, and a sequence of several fonts falls apart.
const QString& emojiFamily();

}  // namespace ingle::desktop
