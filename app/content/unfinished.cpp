#include "app/content/unfinished.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "app/content/characters.h"
#include "app/content/formulas.h"

namespace ingle::content {
namespace {

/// Emphasis and links of more bytes are rare; a mark that has been open for longer was a plain character.
constexpr size_t kReach = 600;
constexpr size_t kCodeReach = 120;
constexpr std::string_view kFullStop = "。";

struct OpenMark {
    char mark;      ///< '*', '_', '~', '`', '[', '(' (a link of which the target is open), or '\\' and '$' (a
                    ///< formula)
    size_t length;  ///< of a run; of a link up to its ']'
    size_t at;
};

bool isPunctuation(char c) {
    return static_cast<unsigned char>(c) < 0x80 && std::ispunct(static_cast<unsigned char>(c)) != 0;
}

/// What is open at a place in a text, by the rules of CommonMark 0.30, section 6.2, as far as ASCII goes.
class OpenMarks {
  public:
    explicit OpenMarks(std::string_view text) : m_text(text), m_formulas(text) {}

    /// Goes through the text and calls `gap(end)` behind each white space and each full stop that needs none.
    template <typename Gap>
    void read(const Gap& gap) {
        for (size_t at = 0; at < m_text.size();) {
            forgetBefore(at);
            const char c = m_text[at];
            if (isSpace(c))
                gap(++at);
            else if (m_text.substr(at, kFullStop.size()) == kFullStop)
                gap(at += kFullStop.size());
            else if (c == '`')
                at = readCode(at);
            else if (c == '$' || c == '\\')
                at = readFormula(at);
            else if (c == '*' || c == '_' || c == '~')
                at = readRun(at);
            else if (c == '[')
                m_open.push_back({'[', 1, at++});
            else if (c == ']')
                at = readBracket(at);
            else
                ++at;
        }
        forgetBefore(m_text.size());
    }

    const std::vector<OpenMark>& open() const { return m_open; }
    /// Length of a run at the very end that is the first half of a closing one.
    size_t halfClosed() const { return m_halfClosed; }

  private:
    void forgetBefore(size_t at) {
        const auto near = std::find_if(m_open.begin(), m_open.end(),
                                       [&](const OpenMark& one) { return at - one.at <= kReach; });
        m_open.erase(m_open.begin(), near);
    }

    size_t readCode(size_t at) {
        const CodeSpan code = codeSpanAt(m_text, at);
        if (!code.closed) m_open.push_back({'`', code.end - at, at});
        return code.end;
    }

    size_t readFormula(size_t at) {
        if (const auto end = m_formulas.endOf(at)) return *end;
        const std::string_view mark = closingMark(m_text.substr(at));
        if (mark.size() == 2) {
            m_open.push_back({m_text[at], 2, at});
            return at + 2;
        }
        return at + (m_text[at] == '\\' ? 2 : 1);
    }

    size_t readRun(size_t at) {
        const char mark = m_text[at];
        size_t end = std::min(m_text.find_first_not_of(mark, at), m_text.size());
        const char before = at == 0 ? ' ' : m_text[at - 1];
        const char after = end == m_text.size() ? ' ' : m_text[end];
        const bool left =
            !isSpace(after) && (!isPunctuation(after) || isSpace(before) || isPunctuation(before));
        const bool right =
            !isSpace(before) && (!isPunctuation(before) || isSpace(after) || isPunctuation(after));
        size_t length = end - at;
        // "~5" is five or so, not the beginning of something struck out.
        if (mark == '~' && length == 1 && end < m_text.size()) return end;
        while (length > 0 && right && (mark != '_' || !left || isPunctuation(after))) {
            const auto opener = std::find_if(m_open.rbegin(), m_open.rend(),
                                             [&](const OpenMark& one) { return one.mark == mark; });
            if (opener == m_open.rend()) break;
            if (opener->length > length && end == m_text.size()) {
                m_halfClosed = length;
                return end;
            }
            const size_t used = std::min(length, opener->length);
            length -= used;
            opener->length -= used;
            m_open.erase(opener->length == 0 ? opener.base() - 1 : opener.base(), m_open.end());
        }
        // At the very end nobody knows what follows; a mark behind a letter, '_' apart, may begin something
        // as well.
        const bool opens =
            end == m_text.size() ? length > 0 : left && (mark != '_' || !right || isPunctuation(before));
        if (length > 0 && opens) m_open.push_back({mark, length, end - length});
        return end;
    }

    size_t readBracket(size_t at) {
        const auto opener =
            std::find_if(m_open.rbegin(), m_open.rend(), [](const OpenMark& one) { return one.mark == '['; });
        if (opener == m_open.rend()) return at + 1;
        const size_t begin = opener->at;
        m_open.erase(opener.base() - 1, m_open.end());
        if (at + 1 >= m_text.size() || m_text[at + 1] != '(') return at + 1;
        const size_t end = m_text.find_first_of(")\n", at + 2);
        if (end != std::string_view::npos) return m_text[end] == ')' ? end + 1 : at + 1;
        if (m_text.size() - begin > kReach) return at + 1;
        m_open.push_back({'(', at - begin, begin});
        return m_text.size();
    }

    std::string_view m_text;
    FormulaFinder m_formulas;
    std::vector<OpenMark> m_open;
    size_t m_halfClosed = 0;
};

void trimEnd(std::string& text) {
    text.erase(text.find_last_not_of(" \t\n") + 1);
}

}  // namespace

std::string closed(std::string_view text) {
    OpenMarks marks(text);
    marks.read([](size_t) {});
    std::vector<OpenMark> open = marks.open();
    std::string out(text.substr(0, text.size() - marks.halfClosed()));
    // A run that has only begun, at the very end.
    if (!open.empty() && open.back().at + open.back().length == text.size()) {
        out.resize(open.back().at);
        open.pop_back();
    }
    if (!open.empty() && open.back().mark == '(') {
        // A link whose target is still being written shows its text.
        const size_t bracket = open.back().at;
        out.resize(bracket + open.back().length);
        const bool image = bracket > 0 && out[bracket - 1] == '!';
        out.erase(bracket - (image ? 1 : 0), image ? 2 : 1);
        open.pop_back();
    }
    if (!open.empty()) trimEnd(out);
    // An open code span makes plain text of what stands in it, so it is closed before all that is around it.
    const auto code = std::find_if(open.begin(), open.end(), [&](const OpenMark& one) {
        return one.mark == '`' && text.size() - one.at <= kCodeReach;
    });
    if (code != open.end()) {
        const size_t begin = code->at + code->length;
        out.erase(std::max(begin, out.find_last_not_of('`') + 1));
        out.append(code->length, '`');
        open.erase(code, open.end());
    }
    for (auto one = open.rbegin(); one != open.rend(); ++one) {
        if (one->mark == '\\' || one->mark == '$')
            out.append(closingMark(text.substr(one->at)));
        else if (one->mark != '[' && one->mark != '`')
            out.append(one->length, one->mark);
    }
    return out;
}

size_t cutPosition(std::string_view text) {
    // From the worst to the best: a space somewhere, a space, the end of a sentence, the end of a line.
    std::array<size_t, 4> best{};
    OpenMarks marks(text);
    marks.read([&](size_t end) {
        // A run of backticks where a line begins would be a fence.
        if (end < text.size() / 2 || text.substr(end, 3) == "```" || text.substr(end, 3) == "~~~") return;
        best[0] = end;
        if (!marks.open().empty()) return;
        best[1] = end;
        const std::string_view before = text.substr(0, text[end - 1] == ' ' ? end - 1 : end);
        if (before.ends_with(kFullStop) ||
            std::string_view(".!?:").find(before.back()) != std::string_view::npos)
            best[2] = end;
        if (before.ends_with('\n')) best[3] = end;
    });
    const auto found = std::find_if(best.rbegin(), best.rend(), [](size_t one) { return one > 0; });
    return found == best.rend() ? text.size() : *found;
}

}  // namespace ingle::content
