#include "app/documents/plausibility.h"

#include <utf8proc.h>

#include <cmath>
#include <unordered_map>

namespace ingle::documents {
namespace {

// Logarithms. Those of characters are guesses of their order only: what is right is so by a distance.
constexpr double kAscii = -3, kControl = -6, kMark = -6, kSign = -8, kOther = -10.5, kForeign = -11.5,
                 kNothing = -25;
constexpr double kCapital = -2.5, kCapitalBehindCapital = -0.5, kCapitalWithin = -4;
constexpr double kScriptWithin = -4, kScriptBetween = -6, kHanBetween = -1.5;
constexpr double kSecondAccent = -0.7, kFurtherAccent = -3, kLoneConsonant = -3;
constexpr double kMarkWithin = -4, kSignWithin = -3, kCommonMark = -4;
constexpr double kNoLetter = -20;
/// Words around an accent tell how frequent accents are; a whole text without any would drown all else.
constexpr uint32_t kAsciiLettersCounted = 60;
/// Chinese characters that are not in the list.
constexpr double kRareHan = 0.15 / 8000;

/// Dashes, quotation marks and what else stands in texts; what stands in few; and those of East Asia.
constexpr std::u32string_view kMarks = U"…–—“”‘’„«»‹›•·§°№€£©®™¿¡±×\u00A0\u00AD‚′″";
constexpr std::u32string_view kWithinWords = U"’·\u00AD–—…";
constexpr std::u32string_view kSigns = U"½¼¾²³¹µ¶¥¢¤¦¬¯´¸¨ªº÷ˆ˜†‡‰ƒ";
constexpr std::u32string_view kEastAsianMarks =
    U"、。，！？：；（）《》「」『』【】〈〉・ー…—“”‘’～０１２３４５６７８９％\u3000·";

bool isIn(std::u32string_view list, char32_t code) {
    return list.find(code) != std::u32string_view::npos;
}

int32_t signedCode(char32_t code) {
    return static_cast<int32_t>(code);
}
char32_t lowered(char32_t code) {
    return static_cast<char32_t>(utf8proc_tolower(signedCode(code)));
}
bool isLetter(char32_t code) {
    const auto category = utf8proc_category(signedCode(code));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}
bool isAssigned(char32_t code) {
    switch (utf8proc_category(signedCode(code))) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
            return false;
        default:
            return code != 0xFFFD;
    }
}
bool isHan(char32_t code) {
    return code >= 0x4E00 && code < 0xA000;
}
bool isConsonant(char32_t code) {
    utf8proc_int32_t parts[8];
    const auto count =
        utf8proc_decompose_char(signedCode(code), parts, std::size(parts), UTF8PROC_DECOMPOSE, nullptr);
    return count > 0 && !isIn(U"aeiouæøœ", lowered(static_cast<char32_t>(parts[0])));
}

/// Logarithms of the frequencies of a language's letters.
using Frequencies = std::unordered_map<char32_t, double>;

Frequencies frequenciesOf(const Language& language) {
    // By Zipf's law, flatter at its beginning.
    const double flat = language.script == Script::Han ? 8 : 3;
    double sum = 0;
    for (size_t rank = 0; rank < language.letters.size(); ++rank)
        sum += 1 / (static_cast<double>(rank) + flat);
    Frequencies frequencies;
    for (size_t rank = 0; rank < language.letters.size(); ++rank)
        frequencies.emplace(language.letters[rank],
                            std::log(language.share / (static_cast<double>(rank) + flat) / sum));
    return frequencies;
}

const Frequencies& knownFrequencies(const Language& language) {
    static const auto kAll = [] {
        std::unordered_map<std::string_view, Frequencies> all;
        for (const Language& each : languagesWithLetters()) all.emplace(each.name, frequenciesOf(each));
        return all;
    }();
    return kAll.at(language.name);
}

class Reading {
  public:
    explicit Reading(const Language& language)
        : m_language(language),
          m_frequencies(knownFrequencies(language)),
          m_unaccented(isLatin() ? std::log(1 - language.share) : 0) {}

    double of(std::u32string_view text) {
        for (size_t i = 0; i < text.size(); ++i) {
            const char32_t next = i + 1 < text.size() ? text[i + 1] : U' ';
            if (text[i] < 0x80)
                takeAscii(text[i]);
            else
                take(text[i], next);
        }
        // A text of other letters has some.
        return m_numKnown == 0 && !isLatin() ? m_sum + kNoLetter : m_sum;
    }

  private:
    /// The character before.
    struct Before {
        bool isLetter = false, isOurs = false, isSmall = false, isCapital = false;
    };

    bool isLatin() const { return m_language.script == Script::Latin; }

    void takeAscii(char32_t code) {
        const bool isSmall = code >= 'a' && code <= 'z', isCapital = code >= 'A' && code <= 'Z';
        m_sum +=
            code < 0x20 && code != '\t' && code != '\n' && code != '\r' && code != '\f' ? kControl : kAscii;
        if (isSmall || isCapital) {
            if (isCapital && m_before.isSmall) m_sum += -3;
            if (!isLatin() && m_before.isOurs) m_sum += kScriptWithin;
            if (isLatin() && m_numAscii < kAsciiLettersCounted) m_sum += m_unaccented;
            ++m_numAscii;
            m_numTogether = 0;
        }
        m_before = {isSmall || isCapital, false, isSmall, isCapital};
    }

    void take(char32_t code, char32_t next) {
        const char32_t small = lowered(code);
        const bool isCapital = small != code;
        auto known = m_frequencies.find(code);
        const bool isListed = known != m_frequencies.end();
        if (!isListed && isCapital) known = m_frequencies.find(small);
        if (known != m_frequencies.end()) {
            m_sum += known->second;
            if (!isListed) m_sum += m_before.isCapital ? kCapitalBehindCapital : kCapital;
            takeLetter(code, isCapital, next);
            ++m_numKnown;
        } else if (m_language.script == Script::Han && isIn(kEastAsianMarks, code)) {
            m_sum += kCommonMark;
            m_before = {};
        } else if (isLetter(code)) {
            m_sum += m_language.script == Script::Han && isHan(code) ? std::log(kRareHan) : kForeign;
            takeLetter(code, isCapital, next);
        } else {
            takeSign(code, next);
        }
    }

    /// What is before and behind a letter that is none of ASCII's.
    void takeLetter(char32_t code, bool isCapital, char32_t next) {
        if (isCapital && m_before.isSmall) m_sum += kCapitalWithin;
        if (isLatin()) {
            ++m_numTogether;
            // Two in a row are usual where every third letter has one.
            const bool areUsual = m_language.share > 0.2;
            if (m_before.isOurs && m_numTogether > 2)
                m_sum += kFurtherAccent;
            else if (m_before.isOurs && !areUsual)
                m_sum += kSecondAccent;
            if (!m_before.isLetter && !isLetter(next) && isConsonant(code)) m_sum += kLoneConsonant;
        } else {
            if (m_before.isLetter && !m_before.isOurs) m_sum += kScriptWithin;
            if (m_numAscii > 0) m_sum += m_language.script == Script::Han ? kHanBetween : kScriptBetween;
        }
        m_numAscii = 0;
        m_before = {true, true, !isCapital && utf8proc_toupper(signedCode(code)) != signedCode(code),
                    isCapital};
    }

    void takeSign(char32_t code, char32_t next) {
        if (!isAssigned(code)) {
            m_sum += kNothing;
        } else if (isIn(kMarks, code)) {
            m_sum += kMark;
            if (code == U'’' && !m_before.isLetter) m_sum += -2;
            if (m_before.isLetter && isLetter(next) && !isIn(kWithinWords, code)) m_sum += kMarkWithin;
        } else if (isIn(kSigns, code)) {
            m_sum += kSign;
            if (m_before.isLetter || isLetter(next)) m_sum += kSignWithin;
        } else {
            m_sum += kOther;
        }
        m_before = {};
    }

    const Language& m_language;
    const Frequencies& m_frequencies;
    double m_unaccented;  ///< of each letter of ASCII
    double m_sum = 0;
    Before m_before;
    uint32_t m_numAscii = 0;     ///< letters since the last one that is none of ASCII's
    uint32_t m_numTogether = 0;  ///< letters with accents that follow each other
    uint64_t m_numKnown = 0;
};

}  // namespace

double plausibility(std::u32string_view text, const Language& language) {
    return Reading(language).of(text);
}

}  // namespace ingle::documents
