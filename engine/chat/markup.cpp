#include "engine/chat/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/chat/dialects/written_values.h"

namespace ingle::chat {
namespace {

bool isBlankText(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// What a prompt that ends like this has begun; null: nothing.
const Markup* begunBy(std::string_view promptEnd, const CallReading& reading) {
    const auto withoutBlanks = [](std::string_view text) {
        return text.substr(0, text.find_last_not_of(" \n") + 1);
    };
    const Markup* found = nullptr;
    for (const Markup& markup : reading.markups()) {
        const std::string begin = withoutSigns(markup.begin);
        const bool isLonger = !found || markup.begin.size() > found->begin.size();
        if (isLonger && withoutBlanks(promptEnd).ends_with(withoutBlanks(begin))) found = &markup;
    }
    return found;
}

/// The longest beginning of the mark that the prompt ends with.
std::string_view begunOf(std::string_view mark, std::string_view promptEnd) {
    size_t begun = 0;
    std::string letters;
    for (size_t size = 1; size <= mark.size(); ++size) {
        if (mark[size - 1] == ControlTokens::kSign) continue;
        letters += mark[size - 1];
        if (promptEnd.ends_with(letters)) begun = size;
    }
    return mark.substr(0, begun);
}

// Work on calls. One that is not whole is read again from its beginning: a short one at each push, a longer
// one so often that each byte is read about `kReadings` times. Where so much was read in vain as no answer
// has, the rest of it is text.
constexpr size_t kShortCall = 1024, kReadings = 32, kMostFailedBytes = size_t{32} << 20;

}  // namespace

std::string thoughtEnding(std::string_view promptEnd, const CallReading& reading) {
    const Markup* begun = begunBy(promptEnd, reading);
    if (begun == nullptr || begun->kind != PartKind::Thought) return {};
    const bool hasLine = promptEnd.ends_with('\n') && !begun->begin.ends_with('\n');
    const std::string end = withoutSigns(begun->end);
    return hasLine ? fmt::format("\n{}\n\n", end) : end;
}

MarkupSplitter::MarkupSplitter(std::string_view promptEnd, CallReading calls) : m_calls(std::move(calls)) {
    std::string_view begun;
    const auto see = [&](std::string_view mark) {
        if (!mark.empty()) m_mayBegin[static_cast<unsigned char>(mark.front())] = true;
    };
    const auto seeBeginning = [&](std::string_view mark) {
        see(mark);
        if (const std::string_view some = begunOf(mark, promptEnd); some.size() > begun.size()) begun = some;
    };
    for (const CallForm& form : m_calls.forms()) seeBeginning(form.begin);
    m_inside = begunBy(promptEnd, m_calls);
    for (const Markup& markup : m_calls.markups()) {
        seeBeginning(markup.begin);
        see(markup.end);
    }
    if (m_inside) return;
    m_pending = begun;
    m_fromPrompt = begun.size();
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
    std::string letters = withoutSigns(text);
    if (letters.empty()) return;
    if (!isBlankText(letters)) {
        m_isBeginning = false;
        m_lateEnd = {};
    }
    const PartKind kind = m_inside ? m_inside->kind : PartKind::Text;
    if (kind == PartKind::Text) followFences(letters);
    append(out, {kind, std::move(letters), {}, std::exchange(m_begins, false)});
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
    for (const CallForm& form : m_calls.forms()) {
        const bool isBare = form.begin.empty();
        if (isBare ? !isFirst || m_inside : !rest.starts_with(form.begin)) {
            if (!isBare && form.begin.starts_with(rest) && !isEnd) found.kind = Found::Kind::Open;
            continue;
        }
        // In a fence behind other text it is an example.
        if (form.isPart && m_isInFence) continue;
        ReadCalls read = readCalls(form, rest, m_calls, isEnd);
        if (read.outcome == ReadCalls::Outcome::Text) m_failedBytes += read.size;
        if (read.outcome == ReadCalls::Outcome::Undecided) {
            m_isCallOpen = true;
            found.kind = Found::Kind::Open;
        }
        if (read.outcome != ReadCalls::Outcome::Calls) continue;
        const auto counts = inThought(rest.substr(read.size), isFirst, isEnd);
        if (counts == Found::Kind::Text) m_failedBytes += read.size;
        if (counts == Found::Kind::Open) {
            m_isCallOpen = true;
            found.kind = counts;
        }
        if (counts != Found::Kind::Calls) continue;
        const bool isWhole = read.calls.back().isWhole;
        if (isWhole || found.calls.calls.empty()) found.calls = std::move(read);
        if (isWhole) break;
    }
    // Another form may yet read more of it than this one.
    if (found.kind != Found::Kind::Open && !found.calls.calls.empty()) found.kind = Found::Kind::Calls;
    return found;
}

/// A thought may quote calls: one counts where the thought begins with it, or where nothing but the thought's
/// end and further calls follow it.
MarkupSplitter::Found::Kind MarkupSplitter::inThought(std::string_view rest, bool isFirst, bool isEnd) const {
    if (!m_inside || m_inside->kind != PartKind::Thought || isFirst) return Found::Kind::Calls;
    skipBlanks(rest);
    const auto begins = [&](std::string_view mark) { return !mark.empty() && rest.starts_with(mark); };
    const auto mayBegin = [&](std::string_view mark) {
        return mark.size() > rest.size() && mark.starts_with(rest);
    };
    const auto counts = [&](auto&& does) {
        return does(m_inside->end) ||
               std::ranges::any_of(m_calls.forms(), [&](const CallForm& form) { return does(form.begin); }) ||
               std::ranges::any_of(m_calls.markups(), [&](const Markup& markup) {
                   return markup.counts == Markup::Counts::Anywhere && does(markup.begin);
               });
    };
    if (rest.empty()) return isEnd ? Found::Kind::Calls : Found::Kind::Open;
    if (counts(begins)) return Found::Kind::Calls;
    return !isEnd && counts(mayBegin) ? Found::Kind::Open : Found::Kind::Text;
}

/// Inside of something only its end counts: a thought may quote other marks. One that has said nothing yet
/// may be followed by another mark.
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
    const bool isInside = m_inside && !m_inside->end.empty();
    if (isInside) see(m_inside->end, nullptr);
    if (!isInside || (isFirst && m_inside->kind == PartKind::Thought))
        for (const Markup& markup : m_calls.markups())
            if (markup.counts == Markup::Counts::Anywhere || (isFirst && !isInside))
                see(markup.begin, &markup);
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
        done = std::max(done, std::min(at, m_fromPrompt));
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
            if (at < m_fromPrompt) {
                at = m_fromPrompt;  // the answer does not go on with the mark
                continue;
            }
            // What a model decides by, before it answers.
            if (const size_t size = isFirst ? m_calls.sizeOfStranger(text.substr(at)) : 0; size > 0) {
                give();
                done = at += size;
                continue;
            }
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
    m_fromPrompt -= std::min(done, m_fromPrompt);
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
