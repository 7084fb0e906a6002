#include "app/desktop/content/emoji.h"

#include <QFontDatabase>
#include <QRegularExpression>

#include <algorithm>

namespace ingle::desktop {
namespace {

/// Where a text has nothing from here on, it has no emoji: even a keycap ends with U+20E3.
constexpr char16_t kFirst = 0x203C;

const QRegularExpression& sequence() {
    // Source: Unicode Technical Standard 51, section 1.4.9.
    static const QRegularExpression pattern(
        QStringLiteral("[\\x{1F1E6}-\\x{1F1FF}]{2}|[0-9#*]\\x{FE0F}?\\x{20E3}|"
                       "(?:\\p{Emoji_Presentation}|"
                       "\\p{Extended_Pictographic}(?=[\\x{FE0F}\\x{200D}\\x{1F3FB}-\\x{1F3FF}]))"
                       "[\\x{FE0F}\\x{1F3FB}-\\x{1F3FF}]?"
                       "(?:\\x{200D}\\p{Extended_Pictographic}[\\x{FE0F}\\x{1F3FB}-\\x{1F3FF}]?)*"),
        QRegularExpression::UseUnicodePropertiesOption);
    return pattern;
}

}  // namespace

std::vector<EmojiPlace> emojiIn(const QString& text) {
    std::vector<EmojiPlace> places;
    if (std::ranges::none_of(text, [](QChar each) { return each.unicode() >= kFirst; })) return places;
    for (auto matches = sequence().globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        places.push_back({match.capturedStart(), match.capturedLength()});
    }
    return places;
}

const QString& emojiFamily() {
    static const QString family = [] {
        const QStringList all = QFontDatabase::families();
        const auto found = std::ranges::find_if(
            all, [](const QString& each) { return each.contains(QLatin1String("Color Emoji")); });
        return found != all.end() ? *found : QString();
    }();
    return family;
}

}  // namespace ingle::desktop
