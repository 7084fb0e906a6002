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

/// Whether a token's text is part of a mark, or of what stands between those of a call.
bool isPartOfMarks(std::string_view token, const InferredForm* calls, const InferredThought* thought) {
    const auto has = [token](std::string_view text) { return text.find(token) != text.npos; };
    const auto isIn = [&has](const CallForm& form) {
        return has(form.begin) || has(form.end) || has(form.call) || has(form.parameter);
    };
    return token == "<|\"|>" || (calls && isIn(calls->form())) ||
           (thought && (has(thought->begin) || has(thought->end))) ||
           std::ranges::any_of(kMarkups,
                               [&](const Markup& markup) { return has(markup.begin) || has(markup.end); }) ||
           std::ranges::any_of(allCallForms(), isIn);
}

/// What a prompt that ends like this has begun; null: nothing. `own`: beside the rows; may be null.
const Markup* begunBy(std::string_view promptEnd, const Markup* own = nullptr) {
    const auto withoutBlanks = [](std::string_view text) {
        return text.substr(0, text.find_last_not_of(" \n") + 1);
    };
    const auto isBegun = [&](const Markup& markup) {
        return withoutBlanks(promptEnd).ends_with(withoutBlanks(markup.begin));
    };
    if (own && isBegun(*own)) return own;
    const auto found = std::ranges::find_if(kMarkups, isBegun);
    return found == std::end(kMarkups) ? nullptr : &*found;
}

// Work on calls. One that is not whole is read again from its beginning: a short one at each push, a longer
// one so often that each byte is read about `kReadings` times. Where so much was read in vain as no answer
// has, the rest of it is text.
constexpr size_t kShortCall = 1024, kReadings = 32, kMostFailedBytes = size_t{32} << 20;

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
                                                    const InferredForm* calls,
                                                    const InferredThought* thought) {
    std::unordered_map<TokenId, std::string> found;
    for (size_t id = 0; id < data.types.size(); ++id) {
        const std::string& text = data.tokens[id];
        if (data.types[id] != formats::TokenType::Control || text.empty()) continue;
        if (isPartOfMarks(text, calls, thought)) found.emplace(static_cast<TokenId>(id), text);
    }
    return found;
}

MarkupSplitter::MarkupSplitter(std::string_view promptEnd, CallReading calls) : m_calls(std::move(calls)) {
    const auto mayBegin = [this](std::string_view mark) {
        if (!mark.empty()) m_mayBegin[static_cast<unsigned char>(mark.front())] = true;
    };
    for (const CallForm* form : m_calls.forms()) {
        if (!form->begin.empty() && promptEnd.ends_with(form->begin)) m_pending = form->begin;
        mayBegin(form->begin);
    }
    if (const InferredThought* thought = m_calls.thought())
        m_ownThought =
            std::make_shared<const Markup>(Markup{thought->begin, thought->end, PartKind::Thought});
    for (const Markup& markup : kMarkups)
        if (!markup.isAnywhere || m_calls.writes(markup.sign())) m_markups.push_back(&markup);
    if (m_ownThought) m_markups.push_back(m_ownThought.get());
    for (const Markup* markup : m_markups) {
        mayBegin(markup->begin);
        mayBegin(markup->end);
    }
    m_inside = begunBy(promptEnd, m_ownThought.get());
    if (m_inside) mayBegin(m_inside->end);
}

void MarkupSplitter::followFences(std::string_view text) {
    constexpr size_t kFence = 3, kNone = kFence + 1;
    for (const char c : text) {
        if (c == '\n') {
            m_fenceTicks = 0;
        } else if (c == '`' && m_fenceTicks < kFence) {
            if (++m_fenceTicks == kFence) m_isInFence = !m_isInFence;
        } else if (c != ' ' || m_fenceTicks > 0) {
            m_fenceTicks = kNone;
        }
    }
}

void MarkupSplitter::emit(std::string_view text, std::vector<PartPiece>& out) {
    if (text.empty()) return;
    if (!isBlankText(text)) {
        m_isBeginning = false;
        m_lateEnd = {};
    }
    const PartKind kind = m_inside ? m_inside->kind : PartKind::Text;
    if (kind == PartKind::Text) followFences(text);
    append(out, {kind, std::string(text), {}, std::exchange(m_begins, false)});
}

void MarkupSplitter::emitCalls(const std::vector<ReadCall>& calls, std::vector<PartPiece>& out) {
    for (const ReadCall& call : calls)
        out.push_back({PartKind::ToolCall, call.json(), call.name, true, call.id});
    if (m_inside && m_inside->kind == PartKind::Thought) m_lateEnd = std::exchange(m_inside, nullptr)->end;
    m_begins = true;
    m_isBeginning = false;
}

MarkupSplitter::Found MarkupSplitter::lookForCalls(std::string_view rest, bool isFirst, bool isEnd) {
    Found found;
    for (const CallForm* form : m_calls.forms()) {
        const bool isBare = form->begin.empty();
        if (isBare ? !isFirst || m_inside : !rest.starts_with(form->begin)) {
            if (!isBare && form->begin.starts_with(rest) && !isEnd) found.kind = Found::Kind::Open;
            continue;
        }
        // In a fence behind other text it is an example.
        if (form->isPart && m_isInFence) continue;
        ReadCalls read = readCalls(*form, rest, m_calls, isEnd);
        if (read.outcome == ReadCalls::Outcome::Text) m_failedBytes += read.size;
        if (read.outcome == ReadCalls::Outcome::Undecided) {
            m_isCallOpen = true;
            found.kind = Found::Kind::Open;
        }
        if (read.outcome != ReadCalls::Outcome::Calls) continue;
        const bool isWhole = read.calls.back().isWhole;
        if (isWhole || found.calls.calls.empty()) found.calls = std::move(read);
        if (isWhole) break;
    }
    // Another form may yet read more of it than this one.
    if (found.kind != Found::Kind::Open && !found.calls.calls.empty()) found.kind = Found::Kind::Calls;
    return found;
}

/// Inside of something only its end counts: a thought may quote other marks.
MarkupSplitter::Found MarkupSplitter::lookForMarks(std::string_view rest, bool isFirst, bool isEnd) const {
    Found found;
    bool isOpen = false;
    const auto see = [&](std::string_view mark, const Markup* begins) {
        if (mark.empty()) return;
        if (rest.starts_with(mark) && mark.size() > found.size)
            found = {.kind = Found::Kind::Mark, .size = mark.size(), .begins = begins};
        isOpen = isOpen || (rest.size() < mark.size() && mark.starts_with(rest));
    };
    see(m_lateEnd, nullptr);
    if (m_inside && !m_inside->end.empty()) {
        see(m_inside->end, nullptr);
    } else {
        for (const Markup* markup : m_markups)
            if (markup->isAnywhere || isFirst) see(markup->begin, markup);
    }
    // A longer one may begin at the same place.
    if (isOpen && !isEnd) found.kind = Found::Kind::Open;
    return found;
}

MarkupSplitter::Found MarkupSplitter::look(std::string_view rest, bool isFirst, bool isEnd) {
    Found calls;
    if (m_failedBytes < kMostFailedBytes) calls = lookForCalls(rest, isFirst, isEnd);
    return calls.kind == Found::Kind::Text ? lookForMarks(rest, isFirst, isEnd) : std::move(calls);
}

void MarkupSplitter::read(bool isEnd, std::vector<PartPiece>& out) {
    const std::string_view text(m_pending);
    size_t done = 0;  // bytes that were given out
    size_t at = 0;    // before it there is nothing but text
    bool isFirst = m_isBeginning;
    const auto give = [&] {
        emit(text.substr(done, at - done), out);
        done = at;
    };
    m_isCallOpen = false;
    while (at < text.size()) {
        Found found;
        if (m_mayBegin[static_cast<unsigned char>(text[at])] || isFirst) {
            give();
            found = look(text.substr(at), isFirst, isEnd);
        }
        if (found.kind == Found::Kind::Open) break;
        if (found.kind == Found::Kind::Text) {
            isFirst = isFirst && isBlankText(text.substr(at, 1));
            ++at;
            continue;
        }
        if (found.kind == Found::Kind::Mark) {
            m_inside = found.begins;
            m_begins = true;
            m_lateEnd = {};
        } else {
            emitCalls(found.calls.calls, out);
        }
        at += found.kind == Found::Kind::Mark ? found.size : found.calls.size;
        done = at;
        isFirst = m_isBeginning;
    }
    give();
    m_pending.erase(0, done);
}

std::vector<PartPiece> MarkupSplitter::push(std::string_view text) {
    std::vector<PartPiece> out;
    m_pending += text;
    m_credit += kReadings * text.size();
    if (m_isCallOpen && m_pending.size() > kShortCall) {
        if (m_credit < m_pending.size()) return out;
        m_credit -= m_pending.size();
    }
    read(false, out);
    return out;
}

std::vector<PartPiece> MarkupSplitter::finish() {
    std::vector<PartPiece> out;
    read(false, out);
    read(true, out);
    return out;
}

}  // namespace ingle::chat
