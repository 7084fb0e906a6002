#include "engine/chat/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/chat/dialects/call_form.h"

namespace ingle::chat {
namespace {

/// The marks of published chat templates.
constexpr Markup kMarkups[] = {
    // Qwen3, DeepSeek-R1, SmolLM3, GLM-4.5 and many others.
    {"<think>", "</think>", PartKind::Thought},
    {"<think:opensource>", "</think:opensource>", PartKind::Thought},  // Hunyuan
    {"<mm:think>", "</mm:think>", PartKind::Thought},                  // MiniMax M3
    {"<seed:think>", "</seed:think>", PartKind::Thought},
    {"[THINK]", "[/THINK]", PartKind::Thought},                           // Magistral
    {"<|inner_prefix|>", "<|inner_suffix|>", PartKind::Thought, true},    // Apertus
    {"<|START_THINKING|>", "<|END_THINKING|>", PartKind::Thought, true},  // Command A
    {"<|START_RESPONSE|>", "<|END_RESPONSE|>", PartKind::Text, true},
    {"<|channel>thought\n", "<channel|>", PartKind::Thought, true},          // Gemma 4
    {"<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought, true},  // gpt-oss
    {"<|start|>assistant<|channel|>analysis<|message|>", "<|end|>", PartKind::Thought, true},
    {"<|channel|>commentary<|message|>", "<|end|>", PartKind::Text, true},
    {"<|start|>assistant<|channel|>commentary<|message|>", "<|end|>", PartKind::Text, true},
    {"<|channel|>final<|message|>", "", PartKind::Text, true},
    {"<|start|>assistant<|channel|>final<|message|>", "", PartKind::Text, true},
    {"<|channel|>final <|constrain|>json<|message|>", "", PartKind::Text, true},
    {"<|start|>assistant<|channel|>final <|constrain|>json<|message|>", "", PartKind::Text, true},
    {"<|open|>think<|sep|>", "<|close|>think<|sep|>", PartKind::Thought, true},  // Kimi K3
    {"<|open|>response<|sep|>", "<|close|>response<|sep|>", PartKind::Text, true},
    {"<|close|>message<|sep|>", "", PartKind::Text, true},
    {">>>all\n", "", PartKind::Text},  // Functionary 3.2
};

bool isBlankText(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// Bytes at the end that may still become `mark`.
size_t prefixTail(std::string_view text, std::string_view mark) {
    if (mark.empty()) return 0;
    for (size_t size = std::min(text.size(), mark.size() - 1); size > 0; --size)
        if (text.ends_with(mark.substr(0, size))) return size;
    return 0;
}

/// Whether a token's text is part of a mark, or of what stands between those of a call.
bool isPartOfMarks(std::string_view token, const InferredForm* inferred) {
    const auto has = [token](std::string_view text) { return text.find(token) != text.npos; };
    const auto isIn = [&has](const CallForm& form) {
        return has(form.begin) || has(form.end) || has(form.call) || has(form.parameter);
    };
    return token == "<|\"|>" || (inferred && isIn(inferred->form())) ||
           std::ranges::any_of(kMarkups,
                               [&](const Markup& markup) { return has(markup.begin) || has(markup.end); }) ||
           std::ranges::any_of(allCallForms(), isIn);
}

/// What a prompt that ends like this has begun; null: nothing.
const Markup* begunBy(std::string_view promptEnd) {
    const auto withoutBlanks = [](std::string_view text) {
        return text.substr(0, text.find_last_not_of(" \n") + 1);
    };
    const auto isBegun = [&](const Markup& markup) {
        return withoutBlanks(promptEnd).ends_with(withoutBlanks(markup.begin));
    };
    const auto found = std::ranges::find_if(kMarkups, isBegun);
    return found == std::end(kMarkups) ? nullptr : &*found;
}

nlohmann::ordered_json callObject(const ReadCall& call) {
    return {{"name", call.name}, {"arguments", call.arguments}};
}

}  // namespace

std::span<const Markup> allMarkups() {
    return kMarkups;
}

std::string thoughtEnding(std::string_view promptEnd) {
    const Markup* begun = begunBy(promptEnd);
    if (begun == nullptr || begun->kind != PartKind::Thought) return {};
    const bool hasLine = promptEnd.ends_with('\n') && !begun->begin.ends_with('\n');
    return hasLine ? fmt::format("\n{}\n\n", begun->end) : std::string(begun->end);
}

std::unordered_map<TokenId, std::string> markTokens(const formats::TokenizerData& data,
                                                    const InferredForm* inferred) {
    std::unordered_map<TokenId, std::string> found;
    for (size_t id = 0; id < data.types.size(); ++id) {
        const std::string& text = data.tokens[id];
        if (data.types[id] != formats::TokenType::Control || text.empty()) continue;
        if (isPartOfMarks(text, inferred)) found.emplace(static_cast<TokenId>(id), text);
    }
    return found;
}

struct MarkupSplitter::Mark {
    size_t at = std::string_view::npos;
    std::string_view text;
    const Markup* next = nullptr;  ///< what it begins; null when it ends something, or begins calls
    bool isCall = false;
};

MarkupSplitter::MarkupSplitter(std::string_view promptEnd, CallReading calls) : m_calls(std::move(calls)) {
    for (const CallForm* form : m_calls.forms())
        if (!form->begin.empty() && promptEnd.ends_with(form->begin)) m_pending = form->begin;
    for (const Markup& markup : kMarkups)
        if (!markup.isAnywhere || m_calls.writes(markup.sign())) m_markups.push_back(&markup);
    m_inside = begunBy(promptEnd);
}

void MarkupSplitter::emit(size_t size, std::vector<PartPiece>& out) {
    if (size == 0) return;
    const PartKind kind = m_inside ? m_inside->kind : PartKind::Text;
    const std::string text = m_pending.substr(0, size);
    m_isBeginning = m_isBeginning && isBlankText(text);
    out.push_back({kind, text, {}, std::exchange(m_begins, false)});
    m_pending.erase(0, size);
}

/// Inside of something only its end counts, and calls: a thought may quote other marks.
template <typename Visit>
void MarkupSplitter::eachMark(Visit visit) const {
    for (const CallForm* form : m_calls.forms()) visit(Mark{0, form->begin, nullptr, true});
    if (m_inside && !m_inside->end.empty()) return visit(Mark{0, m_inside->end, nullptr, false});
    for (const Markup* markup : m_markups)
        if (markup->isAnywhere || m_isBeginning) visit(Mark{0, markup->begin, markup, false});
}

MarkupSplitter::Mark MarkupSplitter::firstMark(size_t from) const {
    Mark best;
    const std::string_view text = m_pending;
    eachMark([&](Mark mark) {
        if (mark.text.empty()) {
            // Calls without a mark, where the answer begins.
            const size_t first = text.find_first_not_of(" \t\r\n");
            const bool isFirst = m_isBeginning && m_inside == nullptr && first != text.npos && first >= from;
            mark.at = isFirst ? first : text.npos;
        } else {
            mark.at = text.find(mark.text, from);
        }
        if (mark.at == text.npos) return;
        const bool onlyFirst = mark.next && !mark.next->isAnywhere;
        if (onlyFirst && !isBlankText(text.substr(0, mark.at))) return;
        const bool isBetter =
            mark.at < best.at || (mark.at == best.at && mark.isCall && !best.isCall) ||
            (mark.at == best.at && mark.isCall == best.isCall && mark.text.size() > best.text.size());
        if (isBetter) best = mark;
    });
    return best;
}

size_t MarkupSplitter::undecidedTail() const {
    size_t longest = 0;
    eachMark([&](const Mark& mark) {
        const size_t size = prefixTail(m_pending, mark.text);
        const bool onlyFirst = mark.next && !mark.next->isAnywhere;
        const std::string_view before = std::string_view(m_pending).substr(0, m_pending.size() - size);
        if (!onlyFirst || isBlankText(before)) longest = std::max(longest, size);
    });
    return longest;
}

ReadCalls::Outcome MarkupSplitter::readCallsHere(bool isEnd, std::vector<PartPiece>& out) {
    auto outcome = ReadCalls::Outcome::Text;
    ReadCalls cut;
    for (const CallForm* form : m_calls.forms()) {
        if (form->begin.empty() && (!m_isBeginning || m_inside)) continue;
        if (!m_pending.starts_with(form->begin)) continue;
        ReadCalls read = readCalls(*form, m_pending, m_calls, isEnd);
        if (read.outcome == ReadCalls::Outcome::Undecided) outcome = ReadCalls::Outcome::Undecided;
        if (read.outcome != ReadCalls::Outcome::Calls) continue;
        const bool isWhole = read.calls.back().arguments.is_object();
        if (cut.calls.empty() || isWhole) cut = std::move(read);
        if (isWhole) break;
    }
    if (cut.calls.empty() || (outcome == ReadCalls::Outcome::Undecided && !isEnd)) return outcome;
    for (ReadCall& call : cut.calls) {
        const std::string text =
            callObject(call).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
        out.push_back({PartKind::ToolCall, text, call.name, true, call.id});
    }
    m_pending.erase(0, cut.size);
    if (m_inside && m_inside->kind == PartKind::Thought) m_inside = nullptr;
    m_begins = true;
    m_isBeginning = false;
    return ReadCalls::Outcome::Calls;
}

void MarkupSplitter::read(bool isEnd, std::vector<PartPiece>& out) {
    /// A text with so many marks and no calls behind them is one about marks.
    constexpr int kMostTries = 64;
    size_t from = 0;  // before it there is nothing but text
    int tries = 0;
    m_isCallBegun = false;
    for (Mark mark = firstMark(from); mark.at != std::string_view::npos; mark = firstMark(from)) {
        if (mark.isCall) {
            emit(mark.at, out);
            from = 0;
            const auto outcome = readCallsHere(isEnd, out);
            m_isCallBegun = outcome == ReadCalls::Outcome::Undecided && !isEnd;
            if (m_isCallBegun) return;
            if (outcome == ReadCalls::Outcome::Calls) continue;
            if (++tries > kMostTries) break;
            // No call: another mark may begin here, else it is text.
            const Markup* here = nullptr;
            eachMark([&](const Mark& other) {
                const bool isHere = !other.isCall && m_pending.starts_with(other.text);
                if (isHere && other.next && (!here || other.text.size() > here->begin.size()))
                    here = other.next;
            });
            if (here == nullptr) {
                from = 1;
                continue;
            }
            mark = {0, here->begin, here, false};
        }
        // A longer mark may begin at the same place and not be complete yet.
        if (!isEnd && mark.next && undecidedTail() >= m_pending.size() - mark.at) return;
        emit(mark.at, out);
        m_pending.erase(0, mark.text.size());
        m_inside = mark.next;
        m_begins = true;
        from = 0;
    }
    emit(isEnd ? m_pending.size() : m_pending.size() - undecidedTail(), out);
}

std::vector<PartPiece> MarkupSplitter::push(std::string_view text) {
    /// Longer calls are only read again where they may have ended.
    constexpr size_t kShort = 1024;
    std::vector<PartPiece> out;
    m_pending += text;
    const bool goesOn =
        m_isCallBegun && m_pending.size() > kShort && text.find_first_of("}])>`") == text.npos;
    if (!goesOn) read(false, out);
    return out;
}

std::vector<PartPiece> MarkupSplitter::finish() {
    std::vector<PartPiece> out;
    read(true, out);
    return out;
}

}  // namespace ingle::chat
