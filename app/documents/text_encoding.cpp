#include "app/documents/text_encoding.h"

#include <algorithm>
#include <cmath>

#include "app/documents/iconv_text.h"
#include "app/documents/limits.h"
#include "app/documents/plausibility.h"
#include "ingle/utf8.h"

namespace ingle::documents {
namespace {

constexpr const char *kUtf8 = "UTF-8", *kUtf16Le = "UTF-16LE", *kUtf16Be = "UTF-16BE", *kUtf32Le = "UTF-32LE",
                     *kUtf32Be = "UTF-32BE";

struct Mark {
    std::string_view bytes;
    const char* encoding;
    size_t unit;
};
/// Longer ones before those that they begin with.
constexpr Mark kByteOrderMarks[] = {{"\xEF\xBB\xBF", kUtf8, 1},
                                    {std::string_view("\xFF\xFE\0\0", 4), kUtf32Le, 4},
                                    {std::string_view("\0\0\xFE\xFF", 4), kUtf32Be, 4},
                                    {"\xFF\xFE", kUtf16Le, 2},
                                    {"\xFE\xFF", kUtf16Be, 2},
                                    {"\x84\x31\x95\x33", "GB18030", 1}};

constexpr std::string_view kWestern = "fr de es it pt nl sv da fi is ca ga sq",
                           kCentral = "pl cs sk hu ro hr sl de sq", kSlavic = "ru uk be bg sr mk",
                           kBaltic = "lt lv et";

/// An encoding, the languages of its texts, and how much rarer it is than its likes (a logarithm).
struct Candidate {
    const char* name;
    std::string_view languages;
    double prior = 0;
};
/// Of those that make the same of a text the first is taken.
constexpr Candidate kCandidates[] = {{"WINDOWS-1252", kWestern},
                                     {"GB18030", "zh-Hans zh-Hant"},
                                     {"CP932", "ja"},
                                     {"EUC-JP", "ja"},
                                     {"CP949", "ko"},
                                     {"BIG5-HKSCS", "zh-Hant"},
                                     {"WINDOWS-1251", kSlavic},
                                     {"WINDOWS-1250", kCentral, -0.7},
                                     {"WINDOWS-1254", "tr az", -0.7},
                                     {"WINDOWS-1257", kBaltic, -0.7},
                                     {"WINDOWS-1253", "el"},
                                     {"WINDOWS-1255", "he"},
                                     {"WINDOWS-1256", "ar fa"},
                                     {"CP874", "th"},
                                     {"WINDOWS-1258", "vi", -1},
                                     {"KOI8-R", "ru bg"},
                                     {"KOI8-U", "uk ru"},
                                     {"IBM866", "ru uk be bg"},
                                     {"ISO-8859-5", kSlavic},
                                     {"MAC-CYRILLIC", "ru uk bg sr mk", -2},
                                     {"ISO-8859-15", kWestern, -0.7},
                                     {"ISO-8859-2", kCentral, -1},
                                     {"ISO-8859-16", "ro pl hu hr", -3},
                                     {"ISO-8859-4", kBaltic, -2},
                                     {"ISO-8859-13", "lt lv et pl", -1},
                                     {"ISO-8859-3", "eo mt", -3},
                                     {"ISO-8859-9", "tr", -0.7},
                                     {"ISO-8859-7", "el"},
                                     {"ISO-8859-8", "he"},
                                     {"ISO-8859-6", "ar"},
                                     {"IBM850", kWestern, -4},
                                     {"IBM437", kWestern, -4},
                                     {"IBM852", kCentral, -3},
                                     {"IBM857", "tr", -3},
                                     {"CP775", kBaltic, -3},
                                     {"CP737", "el", -3},
                                     {"IBM862", "he", -3},
                                     {"IBM855", "sr mk bg ru", -4},
                                     {"MACINTOSH", kWestern, -3},
                                     {"MAC-CENTRALEUROPE", "pl cs sk hu", -4},
                                     {"TCVN5712-1", "vi", -2},
                                     {"VISCII", "vi", -3},
                                     {"KOI8-T", "tg", -4},
                                     {"PT154", "kk", -3},
                                     {"RK1048", "kk", -3},
                                     {"ARMSCII-8", "hy", -4},
                                     {"GEORGIAN-PS", "ka", -4}};

/// Those of plain ASCII that change its meaning, with what does.
struct Escape {
    std::string_view bytes;
    const char* encoding;
};
constexpr Escape kEscapes[] = {{"\x1b$B", "ISO-2022-JP-2"},
                               {"\x1b$@", "ISO-2022-JP-2"},
                               {"\x1b$)C", "ISO-2022-KR"},
                               {"\x1b$)A", "ISO-2022-CN"}};

/// Names of web pages for what iconv calls otherwise, or for an encoding that holds the one that is named.
/// Source: the WHATWG Encoding Standard, section 4.2.
struct Label {
    std::string_view name;
    const char* encoding;
};
constexpr Label kLabels[] = {{"iso-8859-1", "WINDOWS-1252"},
                             {"iso8859-1", "WINDOWS-1252"},
                             {"latin1", "WINDOWS-1252"},
                             {"us-ascii", "WINDOWS-1252"},
                             {"ascii", "WINDOWS-1252"},
                             {"iso-8859-9", "WINDOWS-1254"},
                             {"iso-8859-11", "CP874"},
                             {"tis-620", "CP874"},
                             {"gb2312", "GB18030"},
                             {"gbk", "GB18030"},
                             {"gb_2312-80", "GB18030"},
                             {"shift_jis", "CP932"},
                             {"shift-jis", "CP932"},
                             {"sjis", "CP932"},
                             {"x-sjis", "CP932"},
                             {"windows-31j", "CP932"},
                             {"euc-kr", "CP949"},
                             {"ks_c_5601-1987", "CP949"},
                             {"big5", "BIG5-HKSCS"},
                             {"x-mac-cyrillic", "MAC-CYRILLIC"},
                             {"macintosh", "MACINTOSH"}};

/// How much of a text is looked at to choose.
constexpr size_t kSampleBytes = 4096;
/// Least plausibility of a character that is none of ASCII's, and of any one of two or four bytes.
constexpr double kLeastForeign = -8.8, kLeastWide = -7.5;

unsigned char byteAt(std::string_view bytes, size_t i) {
    return static_cast<unsigned char>(bytes[i]);
}

/// Controls that texts have: tabs, ends of lines and pages, backspaces and escapes of terminals.
bool isTextControl(unsigned char byte) {
    return (byte >= 0x08 && byte <= 0x0D) || byte == 0x1B;
}

struct Form {
    size_t zeros = 0, controls = 0, high = 0;
    size_t characters = 0, broken = 0;  ///< of UTF-8, beyond ASCII
};

Form formOf(std::string_view bytes) {
    Form form;
    while (!bytes.empty()) {
        const unsigned char byte = byteAt(bytes, 0);
        const FirstCharacter first = firstCharacter(bytes);
        form.zeros += byte == 0;
        form.controls += byte < 0x20 && byte != 0 && !isTextControl(byte);
        form.high += byte >= 0x80 ? first.bytes : 0;
        form.characters += first.bytes > 1;
        form.broken += !first.isWellFormed;
        bytes.remove_prefix(first.bytes);
    }
    return form;
}

/// Lines of a text that are not ASCII alone: what tells its encoding.
std::string sampleOf(std::string_view bytes) {
    std::string sample;
    const auto isHigh = [](char each) { return static_cast<unsigned char>(each) >= 0x80; };
    while (!bytes.empty() && sample.size() < kSampleBytes) {
        const std::string_view line = bytes.substr(0, std::min(bytes.find('\n'), bytes.size() - 1) + 1);
        if (std::ranges::any_of(line, isHigh)) sample += line;
        bytes.remove_prefix(line.size());
    }
    if (sample.size() <= kSampleBytes) return sample;
    // Not in the middle of a character, if there is a place that is in none.
    size_t end = kSampleBytes;
    while (end > kSampleBytes / 2 && isHigh(sample[end - 1])) --end;
    if (end > kSampleBytes / 2) sample.resize(end - 1);
    return sample;
}

std::u32string codePoints(std::string_view text) {
    std::u32string codes;
    while (!text.empty()) {
        const FirstCharacter first = firstCharacter(text);
        codes += first.code;
        text.remove_prefix(first.bytes);
    }
    return codes;
}

/// The plausibility of a text in the likeliest of these languages; "" is all.
double plausibilityAmong(std::u32string_view text, std::string_view languages) {
    double best = -HUGE_VAL;
    const auto isOne = [&](std::string_view name) {
        const size_t at = languages.find(name);
        const bool begins = at == 0 || (at != languages.npos && languages[at - 1] == ' ');
        return languages.empty() ||
               (begins && (at + name.size() == languages.size() || languages[at + name.size()] == ' '));
    };
    for (const Language& language : languagesWithLetters())
        if (isOne(language.name)) best = std::max(best, plausibility(text, language));
    return best;
}

/// Of characters of two or four bytes, which have zeros among them.
std::optional<TextEncoding> wideEncoding(std::string_view bytes) {
    const std::string_view sample = bytes.substr(0, std::min(bytes.size(), kSampleBytes) / 4 * 4);
    std::optional<TextEncoding> found;
    double best = kLeastWide;
    for (const char* name : {kUtf16Le, kUtf16Be, kUtf32Le, kUtf32Be}) {
        const auto decoded = bytes.size() % 2 == 0 ? decodedFrom(name, sample) : std::nullopt;
        if (!decoded || decoded->numBroken > 2 || decoded->text.find('\0') != std::string::npos) continue;
        const std::u32string codes = codePoints(decoded->text);
        const double each =
            plausibilityAmong(codes, "") / static_cast<double>(std::max<size_t>(codes.size(), 1));
        if (each <= best) continue;
        best = each;
        found = TextEncoding{name, true};
    }
    return found;
}

std::optional<TextEncoding> likeliestEncoding(std::string_view bytes, const Form& form) {
    const std::string sample = sampleOf(bytes);
    std::optional<TextEncoding> found;
    double best = -HUGE_VAL, bestEach = -HUGE_VAL;
    for (const Candidate& candidate : kCandidates) {
        const auto decoded = decodedFrom(candidate.name, sample);
        if (!decoded || decoded->numBroken * 50 > sample.size()) continue;
        const std::u32string codes = codePoints(decoded->text);
        const double total = plausibilityAmong(codes, candidate.languages) + candidate.prior;
        if (total <= best) continue;
        best = total;
        found = TextEncoding{candidate.name, true};
        const auto numForeign = std::ranges::count_if(codes, [](char32_t code) { return code >= 0x80; });
        const auto numAscii = static_cast<double>(codes.size()) - static_cast<double>(numForeign);
        bestEach = (total + 3 * numAscii) / static_cast<double>(std::max<int64_t>(numForeign, 1));
    }
    // What is hardly any language is text only if most of it is ASCII.
    const bool isMostlyAscii = form.controls == 0 && form.high * 3 < bytes.size();
    return bestEach >= kLeastForeign || isMostlyAscii ? found : std::nullopt;
}

}  // namespace

std::optional<TextEncoding> textEncoding(std::string_view bytes) {
    for (const Mark& mark : kByteOrderMarks)
        if (bytes.starts_with(mark.bytes) && bytes.size() % mark.unit == 0)
            return TextEncoding{mark.encoding};
    const Form form = formOf(bytes);
    if (form.zeros > 0) return wideEncoding(bytes);
    if (form.controls * 100 > bytes.size()) return std::nullopt;
    for (const Escape& escape : kEscapes) {
        if (form.high > 0 || bytes.find(escape.bytes) == bytes.npos) continue;
        const auto decoded = decodedFrom(escape.encoding, bytes);
        if (decoded && decoded->numBroken == 0) return TextEncoding{escape.encoding, true};
    }
    // A byte may have been lost.
    if (form.broken * 20 <= form.characters) return TextEncoding{kUtf8};
    return likeliestEncoding(bytes, form);
}

std::optional<TextEncoding> namedEncoding(std::string_view label) {
    for (const Label& each : kLabels)
        if (each.name == label) return TextEncoding{each.encoding};
    const auto isSame = [&](const char* name) {
        return std::ranges::equal(std::string_view(name), label, {}, [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        });
    };
    for (const Candidate& each : kCandidates)
        if (isSame(each.name)) return TextEncoding{each.name};
    return std::nullopt;
}

void prepareEncodings() {
    for (const Candidate& each : kCandidates) keepEncoding(each.name);
    for (const Escape& each : kEscapes) keepEncoding(each.encoding);
    for (const char* name : {kUtf8, kUtf16Le, kUtf16Be, kUtf32Le, kUtf32Be}) keepEncoding(name);
    (void)plausibilityAmong(U"", "");
}

std::string decodedText(std::string_view bytes, const TextEncoding& encoding) {
    for (const Mark& mark : kByteOrderMarks) {
        if (mark.encoding != std::string_view(encoding.name) || !bytes.starts_with(mark.bytes)) continue;
        bytes.remove_prefix(mark.bytes.size());
        break;
    }
    // Everything else is done with what is no UTF-8 when it is cleaned.
    if (encoding.name == std::string_view(kUtf8)) return std::string(bytes);
    auto decoded = decodedFrom(encoding.name, bytes);
    return decoded ? std::move(decoded->text) : std::string();
}

void appendClean(std::string& out, std::string_view text) {
    while (!text.empty()) {
        // Most of a text is plain; it is copied as a whole.
        const size_t plain = static_cast<size_t>(
            std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; }) - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) return;
        const FirstCharacter first = firstCharacter(text);
        if (!first.isWellFormed) {
            out += kReplacementText;
        } else if (text[0] == '\r') {
            if (!text.starts_with("\r\n")) out += '\n';
        } else if (text[0] == '\n' || text[0] == '\f' || text[0] == '\v' || first.code == 0x85 ||
                   first.code == 0x2028 || first.code == 0x2029) {
            out += '\n';
        } else if (text[0] == '\t' || !(first.code < 0x20 || (first.code >= 0x7F && first.code < 0xA0) ||
                                        first.code == 0xFEFF)) {
            out += text.substr(0, first.bytes);
        }
        text.remove_prefix(first.bytes);
    }
}

std::optional<ReadText> readText(std::string_view bytes) {
    const auto encoding = textEncoding(bytes);
    if (!encoding) return std::nullopt;
    ReadText read;
    if (encoding->isGuess) read.guess = encoding->name;
    appendClean(read.text, decodedText(bytes, *encoding));
    return read;
}

std::string oneLine(std::string_view text) {
    std::string clean, line;
    appendClean(clean, text.substr(0, boundaryUpTo(text, 4 * limits::kWordsBytes)));
    for (const char each : clean) {
        const bool isSpace = each == ' ' || each == '\n' || each == '\t';
        if (!isSpace)
            line += each;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    while (line.ends_with(' ')) line.pop_back();
    constexpr std::string_view kEllipsis = "\u2026";
    if (line.size() > limits::kWordsBytes) {
        line.resize(boundaryUpTo(line, limits::kWordsBytes - kEllipsis.size()));
        line += kEllipsis;
    }
    return line;
}

}  // namespace ingle::documents
