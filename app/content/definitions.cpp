#include "app/content/definitions.h"

#include <algorithm>
#include <set>

namespace ingle::content {
namespace {

/// Longer labels are none (CommonMark 0.30, section 4.7).
constexpr size_t kMaxLabel = 999;
/// A longer definition has no address: a few letters that use it could grow to any length.
constexpr size_t kMaxDefinition = 2000;

/// The same for labels that match, whatever their case and white space; other labels may share it.
std::string key(std::string_view label) {
    std::string out;
    for (const char c : label) {
        if (c >= 'A' && c <= 'Z')
            out.push_back(static_cast<char>(c - 'A' + 'a'));
        else if (c > ' ' && static_cast<unsigned char>(c) < 0x80)
            out.push_back(c);
    }
    return out;
}

/// Calls `take` with all that stands between '[' and the next ']', and with where the latter is.
template <typename Take>
void forEachLabel(std::string_view text, const Take& take) {
    size_t open = std::string_view::npos;
    for (size_t at = text.find_first_of("[]\\"); at < text.size(); at = text.find_first_of("[]\\", at + 1)) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '[')
            open = at;
        else if (open != std::string_view::npos && at - open <= kMaxLabel)
            take(text.substr(open + 1, at - open - 1), at);
    }
}

/// Whether a line of `text` begins at `at`, but for up to three spaces.
bool beginsLine(std::string_view text, size_t at) {
    const size_t spaces = at - (text.substr(0, at).find_last_not_of(' ') + 1);
    return spaces <= 3 && (spaces == at || text[at - spaces - 1] == '\n');
}

}  // namespace

void Definitions::add(std::string_view text) {
    struct Start {
        std::string_view label;
        size_t at;
    };
    std::vector<Start> starts;
    forEachLabel(text, [&](std::string_view label, size_t end) {
        const size_t open = end - label.size() - 1;
        if (text.substr(end, 2) == "]:" && beginsLine(text, open)) starts.push_back({label, open});
    });
    for (size_t i = 0; i < starts.size(); ++i) {
        const auto& [label, at] = starts[i];
        const size_t end = i + 1 < starts.size() ? starts[i + 1].at : text.size();
        if (!m_byLabel.emplace(key(label), m_texts.size()).second) continue;
        m_texts.emplace_back(end - at <= kMaxDefinition ? text.substr(at, end - at)
                                                        : "[" + std::string(label) + "]: <>");
    }
}

std::string Definitions::usedBy(std::string_view text) const {
    std::string out;
    if (m_byLabel.empty()) return out;
    std::set<size_t> used;
    forEachLabel(text, [&](std::string_view label, size_t) {
        if (const auto found = m_byLabel.find(key(label)); found != m_byLabel.end())
            used.insert(found->second);
    });
    for (const size_t one : used) out.append(m_texts[one]).append("\n\n");
    return out;
}

}  // namespace ingle::content
